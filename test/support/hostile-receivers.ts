import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PATIENT } from './server.ts';

/** What a receiver may do with a request. */
export const REACTIONS: Record<string, (response: ServerResponse) => void> = {
  'answers 200': response => response.writeHead(200).end(),
  'answers 500': response => response.writeHead(500).end('broken'),
  'answers 429': response => response.writeHead(429, { 'retry-after': '90' }).end(),
  'answers 302': response => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
  'answers 410': response => response.writeHead(410).end(),
  hangs: () => undefined,
  resets: response => void response.socket?.resetAndDestroy(),
  'closes half-way': response => {
    // Half a status line: nothing that could be taken for an answer.
    response.socket?.end('HTTP/1.1 20');
  },
  'refuses without end': response => endless(response, 500),
};

function endless(response: ServerResponse, status: number): void {
  response.writeHead(status);
  const talk = setInterval(() => response.write('x'.repeat(4096)), 2);
  response.once('close', () => clearInterval(talk));
}

/** Ways to take a delivery. */
export const TAKING: readonly ((response: ServerResponse) => void)[] = [
  response => response.writeHead(200).end(),
  response => response.writeHead(204).end(),
  response => endless(response, 200),
  response => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setTimeout(() => response.socket?.destroy(), 2);
  },
];

/** What became known of one event at all receivers. */
export interface Seen {
  body: string;
  requests: number;
  taken: boolean;
}

/** Checks each delivery as a careful receiver does and remembers it. */
export class Witness {
  readonly seen = new Map<string, Seen>();
  readonly complaints: string[] = [];
  private readonly secret: string;
  constructor(secret: string) {
    this.secret = secret;
  }

  async watch(request: IncomingMessage): Promise<{ id: string; record: Seen }> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const body = bytes.toString('utf8');
    const id = String(request.headers['webhook-id']);
    const record = this.seen.get(id) ?? { body, requests: 0, taken: false };
    this.seen.set(id, record);
    record.requests += 1;
    const right = createHmac('sha256', this.secret).update(bytes).digest('hex');
    if (request.headers['x-service-signature'] !== right) this.complaints.push(`${id}: wrong signature`);
    if (record.body !== body) this.complaints.push(`${id}: other bytes than before`);
    if ((JSON.parse(body) as { id: string }).id !== id) this.complaints.push(`${id}: other id in the body`);
    return { id, record };
  }
}

/** One plain server for all receivers; `react` decides by the path's name and the number of requests for the event. */
export async function startHostileReceivers(
  witness: Witness,
  react: (name: string, id: string, seen: Seen) => (response: ServerResponse) => void,
) {
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const { id, record } = await witness.watch(request);
    react(decodeURIComponent((request.url ?? '').slice(1)), id, record)(response);
  };
  const server = createServer(PATIENT, (request, response) => void listener(request, response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (name: string) => `http://127.0.0.1:${port}/${encodeURIComponent(name)}`,
    close: () => {
      server.closeAllConnections();
      return new Promise(resolve => server.close(resolve));
    },
  };
}
