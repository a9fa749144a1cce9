import { createHmac, randomBytes } from 'node:crypto';
import type { Delivery } from '../model/webhook.ts';

const SECRET_PREFIX = 'whsec_';

/** Creates a signing secret in the form of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export const newSecret = () => SECRET_PREFIX + randomBytes(32).toString('base64');

/** Decrypted signing secrets of a webhook. For 24 hours after a rotation the previous one signs, too. */
export interface Secrets {
  current: string;
  previous: string | null;
}

/**
 * Returns the headers of one delivery attempt, with signatures over exactly the bytes of `delivery.body`.
 *
 * `X-Service-Signature` is keyed with the secret as it was shown to the user, prefix included, and is always one hex value,
 * of the current secret. The `webhook-*` headers follow Standard Webhooks
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md): their key is
 * the decoded base64 after the prefix, and there is one signature per valid secret. `now`: epoch milliseconds.
 */
export function deliveryHeaders(
  delivery: Pick<Delivery, 'body' | 'event' | 'event_id'>,
  secrets: Secrets,
  now: number,
): Record<string, string> {
  const timestamp = Math.floor(now / 1000);
  const signed = `${delivery.event_id}.${timestamp}.${delivery.body}`;
  const valid = secrets.previous === null ? [secrets.current] : [secrets.current, secrets.previous];
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1.0',
    'X-Service-Event': delivery.event,
    'X-Service-Signature': createHmac('sha256', secrets.current).update(delivery.body).digest('hex'),
    'webhook-id': delivery.event_id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': valid.map(secret => `v1,${standardSignature(secret, signed)}`).join(' '),
  };
}

function standardSignature(secret: string, signed: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(signed).digest('base64');
}
