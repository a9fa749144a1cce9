import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { testOrigin } from './origin.ts';

export interface Received {
  method: string;
  headers: IncomingHttpHeaders;
  /** The body's bytes as received. */
  bytes: Buffer;
  body: string;
}

/** Reaction to one request: a status, or a function that handles the response. */
export type Reaction = number | ((response: ServerResponse) => void);

export interface Receiver {
  url: string;
  received: Received[];
  /** Sets the reactions to the next requests; the last one repeats. */
  script: (...reactions: Reaction[]) => void;
  close: () => Promise<void>;
}

/** Starts a webhook receiver with scripted reactions on a free loopback port. */
export async function startReceiver(): Promise<Receiver> {
  let reactions: Reaction[] = [200];
  const received: Received[] = [];
  const origin = await testOrigin((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const { method = '', headers } = request;
      received.push({ method, headers, bytes, body: bytes.toString('utf8') });
      const reaction = (reactions.length > 1 ? reactions.shift() : reactions[0]) ?? 200;
      if (typeof reaction === 'number') response.writeHead(reaction).end();
      else reaction(response);
    });
  });
  return {
    url: `${origin.url}/hook`,
    received,
    script: (...next) => void (reactions = next),
    close: origin.close,
  };
}
