import { createHmac, randomBytes } from 'node:crypto';
import * as v from 'valibot';
import type { SandboxHost } from '../../contract/sandbox.ts';
import type { SandboxAccount } from './accounts.ts';
import { XrpcError } from './xrpc.ts';

const ClaimsSchema = v.object({
  kind: v.picklist(['access', 'refresh']),
  scope: v.string(),
  sub: v.string(),
  /** Epoch seconds. */
  iat: v.number(),
  exp: v.number(),
  jti: v.string(),
  /** Increases with every token, so that all older ones can be invalidated. */
  serial: v.number(),
});
export type Claims = v.InferOutput<typeof ClaimsSchema>;

/** The scope of an access token is its own; a refresh token has a fixed one, and the session's in a claim beside it. */
const PayloadSchema = v.looseObject({ session_scope: v.string() });

/** Fixed, so that sessions survive a restart. */
const SECRET = 'sandbox-jwt-secret';
const ACCESS_S = 2 * 3600;
const REFRESH_S = 90 * 24 * 3600;
const GRACE_MS = 2 * 3600 * 1000;

const SuccessorSchema = v.object({ jti: v.string(), at: v.number() });

/** Issues and verifies session tokens: readable, signed JWTs with the lifetimes of the reference server. */
export function createTokens({ now, collection }: SandboxHost) {
  /** Used refresh tokens. For two hours each returns the same successor again. */
  const successors = collection('used-refresh-tokens', SuccessorSchema);
  let serial = 0;

  function issue(account: SandboxAccount, scope: string, jti = randomBytes(24).toString('base64url')) {
    serial = Math.max(serial + 1, now());
    const iat = Math.floor(now() / 1000);
    const common = { sub: account.did, iat, serial };
    const access = randomBytes(12).toString('base64url');
    return {
      accessJwt: sign({ ...common, kind: 'access', scope, exp: iat + ACCESS_S, jti: access }),
      refreshJwt: sign({ ...common, kind: 'refresh', scope, exp: iat + REFRESH_S, jti }),
    };
  }

  /** Returns the claims of a valid token. Throws the server's error otherwise. */
  function verify(authorization: string | null, kind: Claims['kind']): Claims {
    if (authorization === null) throw new XrpcError(401, 'AuthMissing', 'Authentication Required');
    const claims = read(/^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '');
    if (claims?.kind !== kind) throw new XrpcError(400, 'InvalidToken', 'Token could not be verified');
    if (claims.exp * 1000 <= now()) throw new XrpcError(400, 'ExpiredToken', 'Token has expired');
    return claims;
  }

  function refresh(account: SandboxAccount, { jti, scope }: Claims) {
    const known = successors.get(jti);
    if (known && now() > known.at + GRACE_MS) throw revoked();
    const successor = known ?? { jti: randomBytes(24).toString('base64url'), at: now() };
    successors.set(jti, successor);
    return issue(account, scope, successor.jti);
  }

  /** Ends a session: its refresh token becomes invalid. */
  function end({ jti }: Claims): void {
    successors.set(jti, { jti, at: -GRACE_MS });
  }

  /** Returns the highest serial of all tokens so far, including those of earlier starts. */
  function newest(): number {
    serial = Math.max(serial, now());
    return serial;
  }

  return { issue, verify, refresh, end, newest, reset: () => successors.clear() };
}

export function revoked(): XrpcError {
  return new XrpcError(400, 'ExpiredToken', 'Token has been revoked');
}

function sign({ kind, ...claims }: Claims): string {
  const header = { typ: kind === 'access' ? 'at+jwt' : 'refresh+jwt', alg: 'HS256' };
  const scope = kind === 'access' ? claims.scope : 'com.atproto.refresh';
  const payload = { ...claims, scope, session_scope: claims.scope, aud: 'did:web:bsky.social' };
  const signed = [header, payload]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${signatureOf(signed)}`;
}

function read(token: string): Claims | null {
  const [header = '', payload = '', signature = ''] = token.split('.');
  if (signatureOf(`${header}.${payload}`) !== signature) return null;
  const kind = Buffer.from(header, 'base64url').toString().includes('refresh+jwt') ? 'refresh' : 'access';
  const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const parsed = v.safeParse(PayloadSchema, claims);
  if (!parsed.success) return null;
  return v.parse(ClaimsSchema, { ...parsed.output, kind, scope: parsed.output.session_scope });
}

function signatureOf(text: string): string {
  return createHmac('sha256', SECRET).update(text).digest('base64url');
}
