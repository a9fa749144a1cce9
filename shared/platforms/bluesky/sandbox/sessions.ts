import type { JsonObject } from '../../../model/json.ts';
import * as v from 'valibot';
import type { SandboxHost } from '../../contract/sandbox.ts';
import {
  AccountSchema,
  ChangeSchema,
  didDocument,
  NEW_PDS_HOST,
  seedAccounts,
  type SandboxAccount,
} from './accounts.ts';
import type { createLimits } from './limits.ts';
import { createTokens, revoked, type Claims } from './tokens.ts';
import { inputOf, refuseBody, text, XrpcError, type XrpcCall, type XrpcResult } from './xrpc.ts';

const LOGINS = [
  { limit: 30, seconds: 300 },
  { limit: 300, seconds: 86_400 },
];
const ENTRYWAY_HOST = 'bsky.social';

/** Accounts and their sessions. */
export function createSessions(host: SandboxHost, limits: ReturnType<typeof createLimits>) {
  const tokens = createTokens(host);
  const accounts = host.collection('accounts', AccountSchema);
  if (accounts.values().length === 0) seedAccounts(accounts);

  const find = (identifier: string) =>
    accounts.get(identifier) ?? accounts.values().find(({ handle }) => identifier.toLowerCase() === handle);

  const update = (account: SandboxAccount, change: Partial<SandboxAccount>) =>
    accounts.set(account.did, { ...account, ...change });

  function create(call: XrpcCall): XrpcResult {
    const input = inputOf(call);
    const [identifier, password] = [text(input, 'identifier'), text(input, 'password')];
    const headers = limits.spend(`login ${identifier}`, 1, LOGINS);
    const account = find(identifier);
    const isMain = account?.mainPassword === password;
    const isUnknown = !account || account.moved === 'deleted' || call.host === NEW_PDS_HOST;
    if (isUnknown || (!isMain && !account.appPasswords.includes(password))) {
      throw new XrpcError(401, 'AuthenticationRequired', 'Invalid identifier or password', headers);
    }
    if (isTakenDown(account)) throw accountTakedown();
    if (isMain && account.secondFactor) {
      const words = 'A sign in code has been sent to your email address';
      throw new XrpcError(401, 'AuthFactorTokenRequired', words, headers);
    }
    if (!isMain) {
      update(account, { usedPasswords: [...new Set([...account.usedPasswords, password])] });
    }
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

  /**
   * Returns the account of the token. Throws what the server responds to invalid tokens and inactive accounts.
   *
   * A moved account whose copy was deleted is unknown here; through the entryway its tokens appear expired.
   */
  function authenticate({ headers, host: server }: XrpcCall, kind: Claims['kind'] = 'access') {
    const claims = tokens.verify(headers.get('authorization'), kind);
    const account = find(claims.sub);
    if (!account || server === NEW_PDS_HOST) {
      throw new XrpcError(400, 'InvalidToken', 'Token could not be verified');
    }
    if (account.moved === 'deleted') {
      if (server === ENTRYWAY_HOST) throw expired();
      throw new XrpcError(403, 'AccountNotFound', 'Account not found');
    }
    if (isTakenDown(account)) throw accountTakedown();
    if (kind === 'refresh' && claims.serial <= account.refreshInvalidUntil) throw revoked();
    if (kind === 'access' && claims.serial <= account.accessInvalidUntil) throw expired();
    return { account, claims };
  }

  /** Ends tokens. `revoke` also revokes the app passwords that were used. */
  function endTokens(action: 'expire' | 'revoke' | 'revoke_refresh', of: string | null): void {
    const newest = tokens.newest();
    for (const account of of === null ? accounts.values() : [find(of) ?? []].flat()) {
      update(account, {
        ...(action !== 'revoke_refresh' && { accessInvalidUntil: newest }),
        ...(action !== 'expire' && { refreshInvalidUntil: newest }),
        ...(action === 'revoke' && { appPasswords: withoutUsed(account) }),
      });
    }
  }

  function change(name: string, input: JsonObject): boolean {
    const account = find(name);
    if (!account) return false;
    update(account, v.parse(ChangeSchema, input));
    return true;
  }

  function reset(): void {
    seedAccounts(accounts);
    tokens.reset();
  }

  return { find, create, refresh, end, authenticate, endTokens, change, reset };
}

/** App passwords without those that have logged in. */
function withoutUsed({ appPasswords, usedPasswords }: SandboxAccount): string[] {
  return appPasswords.filter(password => !usedPasswords.includes(password));
}

function sessionOf(account: SandboxAccount, pair: { accessJwt: string; refreshJwt: string }): JsonObject {
  const { did, handle } = account;
  const status = account.moved === null ? account.status : 'deactivated';
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

/** Bluesky reports suspended accounts as taken down. */
const isTakenDown = ({ status }: SandboxAccount) => status === 'takendown' || status === 'suspended';

/** Throws if the account may not write: its owner deactivated it, or it moved away. */
export function assertActive({ status, moved }: SandboxAccount): void {
  if (status === 'deactivated' || moved === 'deactivated') {
    throw new XrpcError(401, 'AccountDeactivated', 'Account is deactivated');
  }
}

function expired(): XrpcError {
  return new XrpcError(400, 'ExpiredToken', 'Token has expired');
}

function accountTakedown(): XrpcError {
  return new XrpcError(401, 'AccountTakedown', 'Account has been taken down');
}
