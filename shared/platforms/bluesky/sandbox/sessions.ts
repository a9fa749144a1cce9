import type { JsonObject } from '../../../model/json.ts';
import { didDocument, seedAccounts, type SandboxAccount } from './accounts.ts';
import type { createLimits } from './limits.ts';
import { createTokens, revoked, type Claims } from './tokens.ts';
import { inputOf, refuseBody, text, XrpcError, type XrpcCall, type XrpcResult } from './xrpc.ts';

const LOGINS = { limit: 30, seconds: 300 };

/** Who has an account here, and who is logged in. */
export function createSessions(now: () => number, limits: ReturnType<typeof createLimits>) {
  const tokens = createTokens(now);
  let accounts = seedAccounts();

  const find = (identifier: string) =>
    accounts.find(({ did, handle }) => identifier === did || identifier.toLowerCase() === handle);

  function create(call: XrpcCall): XrpcResult {
    const input = inputOf(call);
    const [identifier, password] = [text(input, 'identifier'), text(input, 'password')];
    const headers = limits.spend(`login ${identifier}`, 1, LOGINS);
    const account = find(identifier);
    const isMain = account?.mainPassword === password;
    if (!account || (!isMain && !account.appPasswords.has(password))) {
      throw new XrpcError(401, 'AuthenticationRequired', 'Invalid identifier or password', headers);
    }
    if (account.status === 'takendown') throw takendown();
    if (isMain && account.secondFactor) {
      const words = 'A sign in code has been sent to your email address';
      throw new XrpcError(401, 'AuthFactorTokenRequired', words, headers);
    }
    if (!isMain) account.usedPasswords.add(password);
    const scope = isMain ? 'com.atproto.access' : 'com.atproto.appPass';
    return { body: sessionOf(account, tokens.issue(account, scope)), headers };
  }

  function refresh(call: XrpcCall): XrpcResult {
    const { account, claims } = authenticate(call, 'refresh');
    refuseBody(call);
    return { body: sessionOf(account, tokens.refresh(account, claims)) };
  }

  function end(call: XrpcCall): XrpcResult {
    const { claims } = authenticate(call, 'refresh');
    refuseBody(call);
    tokens.end(claims);
    return { body: null };
  }

  function authenticate({ headers }: XrpcCall, kind: Claims['kind'] = 'access') {
    const claims = tokens.verify(headers.get('authorization'), kind);
    const account = find(claims.sub);
    if (!account) throw new XrpcError(400, 'InvalidToken', 'Token could not be verified');
    if (account.status === 'takendown') throw takendown();
    if (kind === 'refresh' && claims.serial <= account.refreshDeadUntil) throw revoked();
    if (kind === 'access' && claims.serial <= account.accessDeadUntil) {
      throw new XrpcError(400, 'ExpiredToken', 'Token has expired');
    }
    return { account, claims };
  }

  /** Ends tokens from outside. `revoke`: the user took the app password back, and the session is over too. */
  function endTokens(action: 'expire' | 'revoke' | 'revoke_refresh', of: string | null): void {
    const newest = tokens.newest();
    for (const account of accounts.filter(({ did, handle }) => of === null || of === did || of === handle)) {
      if (action !== 'revoke_refresh') account.accessDeadUntil = newest;
      if (action !== 'expire') account.refreshDeadUntil = newest;
      if (action === 'revoke') revokePasswords(account);
    }
  }

  function reset(): void {
    accounts = seedAccounts();
    tokens.reset();
  }

  return { find, create, refresh, end, authenticate, endTokens, reset };
}

/** Those that a program has used; after a restart nobody knows, and the first stands for them. */
function revokePasswords({ appPasswords, usedPasswords }: SandboxAccount): void {
  const used = usedPasswords.size > 0 ? usedPasswords : [...appPasswords].slice(0, 1);
  for (const password of used) appPasswords.delete(password);
}

function sessionOf(account: SandboxAccount, pair: { accessJwt: string; refreshJwt: string }): JsonObject {
  const { did, handle, status } = account;
  return {
    ...pair,
    did,
    handle,
    didDoc: didDocument(account),
    email: `${handle.split('.')[0] ?? ''}@example.com`,
    emailConfirmed: true,
    emailAuthFactor: account.secondFactor,
    active: status === 'active',
    ...(status === 'active' ? {} : { status }),
  };
}

function takendown(): XrpcError {
  return new XrpcError(401, 'AccountTakedown', 'Account has been taken down');
}
