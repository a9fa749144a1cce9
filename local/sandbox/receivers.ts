import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono } from 'hono';
import * as v from 'valibot';
import { parseBody } from './bad-request.ts';

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
  /** Signing secret of deliveries that do not come from this stack. */
  secret: v.optional(v.string()),
});
type ScriptedResponse = v.InferOutput<typeof ScriptSchema>['script'][number];

export interface Delivery {
  at: string;
  headers: Record<string, string>;
  body_base64: string;
}

interface Receiver {
  script: ScriptedResponse[];
  /** Index of the next response of the script. */
  position: number;
  secret: string | null;
  /** Numbered across all receivers. */
  deliveries: { seq: number; delivery: Delivery }[];
  /** Size of the deliveries' bodies. */
  bytes: number;
}

/** A delivery for the page: decoded, and whether its signature is valid (null if no secret is known). */
export interface DeliveryView {
  seq: number;
  receiver: string;
  at: string;
  headers: Record<string, string>;
  body: string;
  verified: boolean | null;
}

export interface Receivers {
  /** Receives deliveries at `ANY /<name>`. */
  app: Hono;
  /** Throws BadRequest. */
  setScript: (name: string, body: unknown) => void;
  deliveries: (name: string) => readonly Delivery[];
  /** Deletes the deliveries of a receiver; its script continues. */
  clearDeliveries: (name: string) => void;
  /** Deliveries to all receivers, newest first. */
  recent: (limit: number) => DeliveryView[];
  clear: () => void;
}

/** Deliveries kept per receiver. */
const MAX_DELIVERIES = 10_000;
const MAX_BYTES = 32 * 1024 ** 2;
const DEFAULT_RESPONSE: ScriptedResponse = { status: 200, delay_ms: 0, headers: {} };

/** Webhook receivers. `secretsOf` returns the known signing secrets of the webhooks that point to a receiver. */
export function createReceivers(
  now: () => number,
  secretsOf: (name: string) => readonly string[],
): Receivers {
  const receivers = new Map<string, Receiver>();
  let last = 0;

  function receiver(name: string): Receiver {
    const known = receivers.get(name) ?? { script: [], position: 0, secret: null, deliveries: [], bytes: 0 };
    receivers.set(name, known);
    return known;
  }

  const app = new Hono();
  app.all('/:name', async c => {
    const mine = receiver(c.req.param('name'));
    const { status, delay_ms, headers } =
      mine.script[Math.min(mine.position, mine.script.length - 1)] ?? DEFAULT_RESPONSE;
    mine.position += 1;
    const body = Buffer.from(await c.req.arrayBuffer());
    last += 1;
    const at = new Date(now()).toISOString();
    const delivery = { at, headers: c.req.header(), body_base64: body.toString('base64') };
    mine.deliveries.push({ seq: last, delivery });
    mine.bytes += delivery.body_base64.length;
    while (mine.deliveries.length > MAX_DELIVERIES || mine.bytes > MAX_BYTES) {
      mine.bytes -= mine.deliveries.shift()?.delivery.body_base64.length ?? mine.bytes;
    }
    await sleep(delay_ms);
    return new Response(null, { status, headers });
  });

  function setScript(name: string, body: unknown): void {
    const { script, secret } = parseBody(ScriptSchema, body);
    const mine = receiver(name);
    Object.assign(mine, { script, position: 0, secret: secret ?? mine.secret });
  }

  function recent(limit: number): DeliveryView[] {
    return [...receivers]
      .flatMap(([name, { secret, deliveries }]) => {
        const secrets = secret === null ? secretsOf(name) : [secret, ...secretsOf(name)];
        return deliveries
          .slice(-limit)
          .map(({ seq, delivery }) => deliveryView(seq, name, secrets, delivery));
      })
      .sort((a, b) => b.seq - a.seq)
      .slice(0, limit);
  }

  return {
    app,
    setScript,
    deliveries: name => (receivers.get(name)?.deliveries ?? []).map(({ delivery }) => delivery),
    clearDeliveries: name => {
      Object.assign(receiver(name), { deliveries: [], bytes: 0 });
    },
    recent,
    clear: () => receivers.clear(),
  };
}

function deliveryView(
  seq: number,
  name: string,
  secrets: readonly string[],
  delivery: Delivery,
): DeliveryView {
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

/** Whether the signature is the lower-case hex HMAC-SHA256 of the raw body. */
function isSignature(given: string, body: Buffer, secret: string): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const provided = Buffer.from(given);
  return expected.length === provided.length && timingSafeEqual(expected, provided);
}
