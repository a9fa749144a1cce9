import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PATIENT } from './server.ts';

export interface Reply {
  status?: number;
  body?: unknown;
  /** Closes the connection without a response. */
  disconnect?: boolean;
}

/** Starts a server that responds as the test says and records its requests as `POST /x/api.x.com/…`. */
export async function recorder(reply: (request: string) => Reply | Promise<Reply>) {
  const requests: string[] = [];
  const server = createServer(PATIENT, (request, response) => {
    const line = `${request.method ?? ''} ${request.url ?? ''}`;
    requests.push(line);
    request.resume();
    request.once('end', () => {
      void Promise.resolve(reply(line)).then(sent => send(response, sent));
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

function send(response: ServerResponse, { status = 200, body = {}, disconnect = false }: Reply): void {
  if (disconnect) response.destroy();
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
