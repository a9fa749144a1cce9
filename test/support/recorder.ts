import type { ServerResponse } from 'node:http';
import { testOrigin } from './origin.ts';

export interface Reply {
  status?: number;
  body?: unknown;
  /** Closes the connection without a response. */
  disconnect?: boolean;
}

/** Starts a server that responds as the test says and records its requests as `POST /x/api.x.com/…`. */
export async function recorder(reply: (request: string) => Reply | Promise<Reply>) {
  const requests: string[] = [];
  const origin = await testOrigin((request, response) => {
    const line = `${request.method ?? ''} ${request.url ?? ''}`;
    requests.push(line);
    request.resume();
    request.once('end', () => {
      void Promise.resolve(reply(line)).then(sent => send(response, sent));
    });
  });
  return { ...origin, requests };
}

function send(response: ServerResponse, { status = 200, body = {}, disconnect = false }: Reply): void {
  if (disconnect) response.destroy();
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
