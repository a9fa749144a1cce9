import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PATIENT } from './server.ts';

export interface Reply {
  status?: number;
  body?: unknown;
  /** The connection breaks instead of an answer. */
  breaks?: boolean;
}

/** A server that answers as the test says and keeps what was asked: `POST /x/api.x.com/…`. */
export async function recorder(reply: (request: string) => Reply | Promise<Reply>) {
  const requests: string[] = [];
  const server = createServer(PATIENT, (request, response) => {
    const line = `${request.method ?? ''} ${request.url ?? ''}`;
    requests.push(line);
    request.resume();
    request.once('end', () => {
      void Promise.resolve(reply(line)).then(answer => send(response, answer));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, { status = 200, body = {}, breaks = false }: Reply): void {
  if (breaks) response.destroy();
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
