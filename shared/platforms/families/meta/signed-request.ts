import { createHmac, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import { GraphId, parseGraphJson } from './json.ts';

const PayloadSchema = v.object({ algorithm: v.literal('HMAC-SHA256'), user_id: GraphId });

/**
 * Returns the user (the app-scoped id) that a `signed_request` of Meta names; null where none of the app secrets signed
 * it. The signature covers the payload as it was received, still encoded.
 *
 * @see https://developers.facebook.com/docs/development/create-an-app/app-dashboard/data-deletion-callback
 */
export function userOfSignedRequest(signedRequest: string, appSecrets: readonly string[]): string | null {
  const [signature, payload, ...rest] = signedRequest.split('.');
  if (signature === undefined || payload === undefined || rest.length > 0) return null;
  const received = Buffer.from(signature, 'base64url');
  const isSigned = appSecrets.some(secret => isEqual(received, sign(payload, secret)));
  if (!isSigned) return null;
  const json = parseGraphJson(Buffer.from(payload, 'base64url').toString('utf8'));
  const parsed = v.safeParse(PayloadSchema, json);
  return parsed.success ? parsed.output.user_id : null;
}

const sign = (payload: string, secret: string) => createHmac('sha256', secret).update(payload).digest();

const isEqual = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other);
