import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono } from 'hono';
import * as v from 'valibot';
import { parsed } from './problem.ts';

const HeaderSchema = v.pipe(v.union([v.string(), v.number()]), v.transform(String));
const whole = v.pipe(v.number(), v.integer());

const ScriptSchema = v.strictObject({
  script: v.array(
    v.strictObject({
      status: v.optional(v.pipe(whole, v.minValue(200), v.maxValue(599)), 200),
      delay_ms: v.optional(v.pipe(whole, v.minValue(0), v.maxValue(600_000)), 0),
      headers: v.optional(v.record(v.string(), HeaderSchema), {}),
    }),
  ),
  /** The signing secret, where another service than this stack's own delivers here. */
  secret: v.optional(v.string()),
});
type Turn = v.InferOutput<typeof ScriptSchema>['script'][number];

export interface Delivery {
  at: string;
  headers: Record<string, string>;
  body_base64: string;
}

interface Receiver {
  script: Turn[];
  turn: number;
  secret: string | null;
  /** With their place among those of all receivers. */
  deliveries: { seq: number; delivery: Delivery }[];
}

/** A delivery for the page: its text, and whether its signature is right (null where no secret is known). */
export interface ReadDelivery {
  seq: number;
  receiver: string;
  at: string;
  headers: Record<string, string>;
  body: string;
  verified: boolean | null;
}

export interface Receivers {
  /** `ANY /<name>` takes a delivery. */
  app: Hono;
  /** Throws BadRequest. */
  setScript: (name: string, body: unknown) => void;
  deliveries: (name: string) => readonly Delivery[];
  /** Forgets what a receiver got; its script goes on. */
  forget: (name: string) => void;
  /** Of all receivers, newest first. */
  read: (limit: number) => ReadDelivery[];
  clear: () => void;
}

const KEPT = 10_000;
const PLAIN: Turn = { status: 200, delay_ms: 0, headers: {} };

/** `secretsOf` gives the signing secrets of the webhooks that point to a receiver, as far as they are known. */
export function createReceivers(
  now: () => number,
  secretsOf: (name: string) => readonly string[],
): Receivers {
  const receivers = new Map<string, Receiver>();
  let last = 0;

  function receiver(name: string): Receiver {
    const known = receivers.get(name) ?? { script: [], turn: 0, secret: null, deliveries: [] };
    receivers.set(name, known);
    return known;
  }

  const app = new Hono();
  app.all('/:name', async c => {
    const mine = receiver(c.req.param('name'));
    const { status, delay_ms, headers } = mine.script[Math.min(mine.turn, mine.script.length - 1)] ?? PLAIN;
    mine.turn += 1;
    const body = Buffer.from(await c.req.arrayBuffer());
    last += 1;
    const at = new Date(now()).toISOString();
    const delivery = { at, headers: c.req.header(), body_base64: body.toString('base64') };
    mine.deliveries.push({ seq: last, delivery });
    if (mine.deliveries.length > KEPT) mine.deliveries.shift();
    await sleep(delay_ms);
    return new Response(null, { status, headers });
  });

  function setScript(name: string, body: unknown): void {
    const { script, secret } = parsed(ScriptSchema, body);
    const mine = receiver(name);
    Object.assign(mine, { script, turn: 0, secret: secret ?? mine.secret });
  }

  function read(limit: number): ReadDelivery[] {
    return [...receivers]
      .flatMap(([name, { secret, deliveries }]) => {
        const secrets = secret === null ? secretsOf(name) : [secret, ...secretsOf(name)];
        return deliveries
          .slice(-limit)
          .map(({ seq, delivery }) => readDelivery(seq, name, secrets, delivery));
      })
      .sort((a, b) => b.seq - a.seq)
      .slice(0, limit);
  }

  return {
    app,
    setScript,
    deliveries: name => (receivers.get(name)?.deliveries ?? []).map(({ delivery }) => delivery),
    forget: name => {
      receiver(name).deliveries = [];
    },
    read,
    clear: () => receivers.clear(),
  };
}

function readDelivery(
  seq: number,
  name: string,
  secrets: readonly string[],
  delivery: Delivery,
): ReadDelivery {
  const body = Buffer.from(delivery.body_base64, 'base64');
  const given = delivery.headers['x-service-signature'] ?? '';
  return {
    seq,
    receiver: name,
    at: delivery.at,
    headers: delivery.headers,
    body: body.toString(),
    verified: secrets.length === 0 ? null : secrets.some(secret => isSignature(given, body, secret)),
  };
}

/** The signature is the lower-case hex HMAC-SHA256 of the raw body. */
function isSignature(given: string, body: Buffer, secret: string): boolean {
  const right = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const claimed = Buffer.from(given);
  return right.length === claimed.length && timingSafeEqual(right, claimed);
}
