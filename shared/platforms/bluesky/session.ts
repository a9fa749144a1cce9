import * as v from 'valibot';
import type { Credentials } from '../../model/profile.ts';
import type { Session } from './client.ts';

const Claims = v.object({ exp: v.optional(v.number()), scope: v.optional(v.string()) });

export interface TokenClaims {
  /** Epoch milliseconds; null where the token does not say. */
  expiresAt: number | null;
  scope: string | null;
}

/** Reads what a session token says of itself. It is not verified: only the server that made it can. */
export function claimsOf(token: string): TokenClaims {
  const parsed = v.safeParse(Claims, decodePayload(token));
  if (!parsed.success) return { expiresAt: null, scope: null };
  const { exp, scope } = parsed.output;
  return { expiresAt: exp === undefined ? null : exp * 1000, scope: scope ?? null };
}

/** The pair of a session; the app password is stored apart and is not touched. */
export function tokensOf({
  accessJwt,
  refreshJwt,
}: Session): Pick<Credentials, 'access_token' | 'refresh_token'> {
  return { access_token: accessJwt, refresh_token: refreshJwt };
}

function decodePayload(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  } catch {
    return null;
  }
}
