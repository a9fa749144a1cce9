import { createHmac } from 'node:crypto';

/**
 * Returns the `signed_request` of a deauthorize or data-deletion callback. `user_id` may be a number above 2^53, which
 * Meta sends without quotes: pass the JSON text of the payload then.
 */
export function signedRequest(
  payload: object | string,
  secret: string,
  { padded = false }: { padded?: boolean } = {},
): string {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const encode = (bytes: Buffer) =>
    padded ? bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_') : bytes.toString('base64url');
  const encoded = encode(Buffer.from(text));
  return `${encode(createHmac('sha256', secret).update(encoded).digest())}.${encoded}`;
}
