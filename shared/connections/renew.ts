import * as v from 'valibot';
import { failure } from '../model/failure.ts';
import type { JsonObject } from '../model/json.ts';
import type { Connection } from '../model/profile.ts';
import type { Connector } from '../platforms/contract/connector.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import { connectorOf } from './connector.ts';
import type { Services } from '../runtime/services.ts';
import {
  acquireRenewalLease,
  getConnection,
  EXPIRY_NOTICE_MS,
  markNeedsReconnect,
  releaseRenewalLease,
  saveCredentials,
} from '../store/connections.ts';
import { MINUTE, SECOND } from '../time/instant.ts';
import { loadAccount, sealCredentials, toConnectedAccount, type LoadedAccount } from './load.ts';
import { withConnectContext } from './platform-context.ts';

/** Credentials that expire within this time are renewed before they are used. */
const RENEW_BEFORE_USE_MS = 5 * MINUTE;
/** An access token that lasts longer than this can be used once more, even when its renewal failed. */
const LAST_USE_MS = 1 * MINUTE;
/** Longer than any token request: when it has expired, its worker has certainly ended. */
const LEASE_MS = 60 * SECOND;
const POLL_MS = 300;
const POLLS = 40;

/**
 * Loads an account and a target for use. Credentials about to expire are renewed first; when that fails, they are used
 * until they expire. Throws PlatformError: `token_expired` when the user must reconnect, `transient` when the platform
 * does not answer, `rejected` for an unknown target.
 */
export async function loadFreshAccount(
  services: Services,
  connection: Connection,
  targetId: string | null = null,
): Promise<LoadedAccount> {
  const account = await loadAccount(services, connection, targetId);
  const now = services.now();
  if (hasExpiredForGood(connection, now)) {
    const expired = reconnectError('The credentials have expired and cannot be renewed');
    return requireReconnect(services, account, expired);
  }
  if (!isRenewalDue(connection, now) || !expiresWithin(RENEW_BEFORE_USE_MS, connection, now)) return account;
  try {
    return await renew(services, account);
  } catch (error) {
    if (error instanceof PlatformError && hasUnexpiredToken(connection, now)) return account;
    throw error;
  }
}

/** True while an account can be used: one that must be reconnected works until its access token expires. */
export function hasValidCredentials(connection: Connection, now: number): boolean {
  if (hasExpiredForGood(connection, now)) return false;
  return !connection.needs_reconnect || hasUnexpiredToken(connection, now);
}

/** True when credentials that cannot be renewed expire within a week: the user should reconnect. */
export function expiresSoon(connection: Connection, now: number): boolean {
  return isNeverRenewed(connection) && expiresWithin(EXPIRY_NOTICE_MS, connection, now);
}

/** True when the access token has expired and no renewal is possible. */
function hasExpiredForGood(connection: Connection, now: number): boolean {
  return isNeverRenewed(connection) && expiresWithin(0, connection, now);
}

const isNeverRenewed = ({ renew_at }: Connection) => renew_at === null;

const hasUnexpiredToken = (connection: Connection, now: number) =>
  connection.token_expires_at !== null && !expiresWithin(LAST_USE_MS, connection, now);

const expiresWithin = (ms: number, { token_expires_at }: Connection, now: number) =>
  token_expires_at !== null && token_expires_at - now <= ms;

/** True when the credentials may be renewed: never before `renew_at`. */
function isRenewalDue({ renew_at }: Connection, now: number): boolean {
  return renew_at !== null && renew_at <= now;
}

/**
 * Renews credentials that the platform refused with `refusal`. Throws PlatformError: `token_expired` when the user must
 * reconnect, in the words of the refusal where there is nothing to renew with; `transient` when the platform does not
 * answer.
 */
export async function renewAccount(
  services: Services,
  account: LoadedAccount,
  refusal: PlatformError,
): Promise<LoadedAccount> {
  const { connection } = account;
  const connector = await connectorOf(connection.platform);
  const isRenewable = connector?.renew && !connector.renews_valid_token_only && !isNeverRenewed(connection);
  return isRenewable ? renew(services, account) : requireReconnect(services, account, refusal);
}

/** Renews credentials whose `renew_at` has come, whether or not they are needed now. Throws like `renewAccount`. */
export async function renewIfDue(services: Services, connection: Connection): Promise<void> {
  if (connection.needs_reconnect || !isRenewalDue(connection, services.now())) return;
  await renew(services, await loadAccount(services, connection));
}

/** Renews credentials, one worker at a time: a worker without the lease waits for the result of the other. */
async function renew(services: Services, account: LoadedAccount): Promise<LoadedAccount> {
  const { connection } = account;
  const renewCredentials = (await connectorOf(connection.platform))?.renew;
  if (!renewCredentials) {
    throw new Error(`Credentials of ${connection.platform} cannot be renewed`);
  }
  for (let poll = 0; poll < POLLS; poll += 1) {
    const current = await currentConnection(services, connection);
    if (current.revision !== connection.revision) return reload(services, account, current);
    if (current.needs_reconnect) throw reconnectError('The account must be reconnected');
    const now = services.now();
    // Reading first spares a write to every worker that waits.
    const isFree = (current.renewal_lease_until ?? 0) < now;
    if (isFree && (await acquireRenewalLease(services.table, current, now, now + LEASE_MS))) {
      return renewWithLease(services, account, renewCredentials);
    }
    await new Promise(resolve => setTimeout(resolve, POLL_MS));
  }
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'Another worker is still renewing the credentials',
  });
}

async function renewWithLease(
  services: Services,
  account: LoadedAccount,
  renewCredentials: NonNullable<Connector['renew']>,
): Promise<LoadedAccount> {
  const { connection } = account;
  try {
    const renewal = await withConnectContext(services, connection.platform, context =>
      renewCredentials(toConnectedAccount(account), context),
    );
    const { credentials, expires_at, renew_at, account: identity = {}, scopes, attributes } = renewal;
    await assertComplete(connection, credentials);
    const renewed = {
      ...identity,
      sealed: await sealCredentials(services, connection.id, credentials),
      token_expires_at: expires_at,
      renew_at,
      ...(scopes ? { scopes: [...scopes] } : {}),
      ...(attributes ? { attributes: { ...connection.attributes, ...attributes } } : {}),
    };
    // Stored before use: a rotated refresh token exists nowhere else.
    if (!(await saveCredentials(services.table, connection, renewed))) {
      return await reload(services, account, await currentConnection(services, connection));
    }
    const changed = { ...connection, ...renewed, revision: connection.revision + 1, needs_reconnect: false };
    return { ...account, connection: changed, credentials };
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'token_expired') {
      return requireReconnect(services, account, reconnectError(error.message));
    }
    await releaseRenewalLease(services.table, connection);
    throw error;
  }
}

/** Incomplete credentials are never stored: they would replace usable ones. Throws PlatformError `transient`. */
async function assertComplete({ platform }: Connection, credentials: JsonObject): Promise<void> {
  const schema = (await connectorOf(platform))?.credentials;
  if (!schema || v.is(schema, credentials)) return;
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'The platform returned incomplete credentials',
  });
}

/**
 * Marks that the user must reconnect, unless another worker stored fresh credentials meanwhile: those are returned then.
 * Throws PlatformError `token_expired` otherwise.
 */
async function requireReconnect(
  services: Services,
  account: LoadedAccount,
  reason: PlatformError,
): Promise<LoadedAccount> {
  const { connection } = account;
  const outbox = { at: services.now(), message: failure(reason.code, reason.message).message };
  if (!(await markNeedsReconnect(services.table, connection, outbox))) {
    const current = await currentConnection(services, connection);
    if (!current.needs_reconnect) return reload(services, account, current);
  }
  throw reason;
}

/** The same account and target with the credentials that are stored now. */
function reload(services: Services, { target }: LoadedAccount, current: Connection): Promise<LoadedAccount> {
  return loadAccount(services, current, target?.id);
}

async function currentConnection(services: Services, connection: Connection): Promise<Connection> {
  const { workspace_id, profile_id, platform } = connection;
  const current = await getConnection(services.table, workspace_id, profile_id, platform);
  if (current?.id !== connection.id) throw reconnectError('The account was disconnected');
  return current;
}

const reconnectError = (message: string) =>
  new PlatformError({ kind: 'token_expired', code: 'TOKEN_EXPIRED', message });
