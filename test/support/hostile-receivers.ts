import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { testOrigin } from './origin.ts';

/** Reactions of a receiver to a request. */
export const REACTIONS: Record<string, (response: ServerResponse) => void> = {
  'answers 200': response => response.writeHead(200).end(),
  'answers 500': response => response.writeHead(500).end('broken'),
  'answers 429': response => response.writeHead(429, { 'retry-after': '90' }).end(),
  'answers 302': response => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
  'answers 410': response => response.writeHead(410).end(),
  hangs: () => undefined,
  resets: response => void response.socket?.resetAndDestroy(),
  'closes half-way': response => {
    // Half a status line is not a response.
    response.socket?.end('HTTP/1.1 20');
  },
  'fails with an endless body': response => endless(response, 500),
};

function endless(response: ServerResponse, status: number): void {
  response.writeHead(status);
  const writing = setInterval(() => response.write('x'.repeat(4096)), 2);
  response.once('close', () => clearInterval(writing));
}

/** Reactions that accept a delivery. */
export const ACCEPTING: readonly ((response: ServerResponse) => void)[] = [
  response => response.writeHead(200).end(),
  response => response.writeHead(204).end(),
  response => endless(response, 200),
  response => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setTimeout(() => response.socket?.destroy(), 2);
  },
];

/** What the receivers saw of one event. */
export interface ObservedEvent {
  body: string;
  requests: number;
  accepted: boolean;
}

/** Verifies each delivery as a careful receiver does and records it. */
export class DeliveryObserver {
  readonly events = new Map<string, ObservedEvent>();
  readonly errors: string[] = [];
  private readonly secret: string;
  constructor(secret: string) {
    this.secret = secret;
  }

  async observe(request: IncomingMessage): Promise<{ id: string; record: ObservedEvent }> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const body = bytes.toString('utf8');
    const id = String(request.headers['webhook-id']);
    const record = this.events.get(id) ?? { body, requests: 0, accepted: false };
    this.events.set(id, record);
    record.requests += 1;
    const expected = createHmac('sha256', this.secret).update(bytes).digest('hex');
    if (request.headers['x-service-signature'] !== expected) this.errors.push(`${id}: wrong signature`);
    if (record.body !== body) this.errors.push(`${id}: different bytes than before`);
    if ((JSON.parse(body) as { id: string }).id !== id) this.errors.push(`${id}: different id in the body`);
    return { id, record };
  }
}

/** Starts one server for all receivers; `react` chooses a reaction by the receiver's name and what was seen of the event. */
export async function startHostileReceivers(
  observer: DeliveryObserver,
  react: (name: string, id: string, event: ObservedEvent) => (response: ServerResponse) => void,
) {
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const { id, record } = await observer.observe(request);
    react(decodeURIComponent((request.url ?? '').slice(1)), id, record)(response);
  };
  const origin = await testOrigin((request, response) => void listener(request, response));
  return { url: (name: string) => `${origin.url}/${encodeURIComponent(name)}`, close: origin.close };
}
