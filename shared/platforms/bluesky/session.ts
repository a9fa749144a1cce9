import * as v from 'valibot';

const ClaimsSchema = v.object({ exp: v.optional(v.number()), scope: v.optional(v.string()) });

export interface TokenClaims {
  /** Epoch milliseconds; null when the token has no expiry. */
  expiresAt: number | null;
  scope: string | null;
}

/** Reads the claims of a session token without verifying it: only the server that issued it can do that. */
export function claimsOf(token: string): TokenClaims {
  const parsed = v.safeParse(ClaimsSchema, decodePayload(token));
  if (!parsed.success) return { expiresAt: null, scope: null };
  const { exp, scope } = parsed.output;
  return { expiresAt: exp === undefined ? null : exp * 1000, scope: scope ?? null };
}

function decodePayload(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  } catch {
    return null;
  }
}
