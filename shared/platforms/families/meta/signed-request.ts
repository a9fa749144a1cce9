import { createHmac, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import { SECOND } from '../../../time/instant.ts';
import { parseLongIntegers } from '../../kit/long-integers.ts';
import { GraphId } from './json.ts';

/*
 * The `signed_request` of the callbacks in which Meta names a user who removed an app, or who wants the data deleted.
 * https://developers.facebook.com/docs/development/create-an-app/app-dashboard/data-deletion-callback
 */

const PayloadSchema = v.object({
  algorithm: v.literal('HMAC-SHA256'),
  user_id: GraphId,
  /** Epoch seconds. */
  issued_at: v.fallback(v.nullable(v.number()), null),
});

/** Returns the user (the app-scoped id) that a request names, signed or not; null where it is malformed. */
export const userNamedBy = (signedRequest: string): string | null =>
  payloadOf(signedRequest)?.user_id ?? null;

/** Returns when a request was issued, epoch milliseconds; null where it does not say. */
export function issuedAt(signedRequest: string): number | null {
  const seconds = payloadOf(signedRequest)?.issued_at ?? null;
  return seconds === null ? null : seconds * SECOND;
}

function payloadOf(signedRequest: string): v.InferOutput<typeof PayloadSchema> | null {
  const parts = partsOf(signedRequest);
  const json = parts && parseLongIntegers(Buffer.from(parts.payload, 'base64url').toString('utf8'));
  const parsed = v.safeParse(PayloadSchema, json);
  return parsed.success ? parsed.output : null;
}

/** True where a request is signed with this secret. The signature covers the payload as received, still encoded. */
export function isSignedWith(signedRequest: string, appSecret: string): boolean {
  const parts = partsOf(signedRequest);
  if (!parts) return false;
  const received = Buffer.from(parts.signature, 'base64url');
  const expected = createHmac('sha256', appSecret).update(parts.payload).digest();
  return received.length === expected.length && timingSafeEqual(received, expected);
}

/** Returns the user of a request that one of the secrets signed; null for any other. */
export function userOfSignedRequest(signedRequest: string, appSecrets: readonly string[]): string | null {
  const isSigned = appSecrets.some(secret => isSignedWith(signedRequest, secret));
  return isSigned ? userNamedBy(signedRequest) : null;
}

function partsOf(signedRequest: string): { signature: string; payload: string } | null {
  const [signature, payload, ...rest] = signedRequest.split('.');
  return signature !== undefined && payload !== undefined && rest.length === 0
    ? { signature, payload }
    : null;
}
