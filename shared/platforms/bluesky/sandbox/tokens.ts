import { createHmac, randomBytes } from 'node:crypto';
import type { SandboxAccount } from './accounts.ts';
import { isObject, XrpcError } from './xrpc.ts';

export interface Claims {
  kind: 'access' | 'refresh';
  scope: string;
  sub: string;
  /** Epoch seconds. */
  iat: number;
  exp: number;
  jti: string;
  /** Grows with every token: lets all older ones die at once. */
  serial: number;
}

/** Fixed, so that a session outlives a restart of the local stack. */
const SECRET = 'sandbox-jwt-secret';
const ACCESS_S = 2 * 3600;
const REFRESH_S = 90 * 24 * 3600;
const GRACE_MS = 2 * 3600 * 1000;

/** Makes and checks session tokens: readable JWTs, signed, with the life times of the reference server. */
export function createTokens(now: () => number) {
  /** Used refresh tokens: for two hours each gives the same successor again. */
  const successors = new Map<string, { jti: string; at: number }>();
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

  /** The claims of a good token. Throws what the server answers for any other. */
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

  /** Ends a session: its refresh token is good for nothing more. */
  function end({ jti }: Claims): void {
    successors.set(jti, { jti, at: -GRACE_MS });
  }

  /** Every token so far has this serial or a lower one, those of an earlier start included. */
  function newest(): number {
    serial = Math.max(serial, now());
    return serial;
  }

  return { issue, verify, refresh, end, newest, reset: () => successors.clear() };
}

export type Tokens = ReturnType<typeof createTokens>;

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
  if (!isObject(claims)) return null;
  return { ...claims, kind, scope: claims['session_scope'] } as unknown as Claims;
}

function signatureOf(text: string): string {
  return createHmac('sha256', SECRET).update(text).digest('base64url');
}
