import * as v from 'valibot';
import { ENV } from '../aws/env.ts';
import { unseal, seal } from '../aws/key-ring.ts';
import { loadPlatformApp } from '../aws/platform-app.ts';
import type { PlatformId } from '../model/platform.ts';
import { CredentialsSchema, type Connection, type Credentials } from '../model/profile.ts';
import { createHttpClient } from '../net/http.ts';
import { platformHttp } from '../net/platform-http.ts';
import type { ConnectContext, Connector, Renewal } from '../platforms/contract/connector.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import { CONNECTORS } from '../platforms/registry.ts';
import type { Services } from '../runtime/services.ts';
import {
  releaseRenewalLease,
  getConnection,
  markNeedsReconnect,
  saveCredentials,
  acquireRenewalLease,
} from '../store/connections.ts';
import { DAY, MINUTE, SECOND } from '../time/instant.ts';

/** Credentials that end sooner than this are renewed before they are used. */
const RENEW_AHEAD_MS = 5 * MINUTE;
/** An access token that ends later than this serves one more request, whatever became of its renewal. */
const LAST_USE_MS = 1 * MINUTE;
/** Longer than any token request: when it has ended, its holder is certainly gone. */
const LEASE_MS = 60 * SECOND;
/** A renewal ahead of the end begins when this share of the time is left … */
const RENEWAL_SHARE = 0.2;
/** … but not before so much is left: a token of two months is not renewed for weeks on end. */
const EARLIEST_RENEWAL_MS = 7 * DAY;
const POLL_MS = 300;
const POLLS = 40;

/** An account with its secrets opened. Never log it, never answer with it. */
export interface LoadedAccount {
  connection: Connection;
  credentials: Credentials;
}

export async function loadAccount(services: Services, connection: Connection): Promise<LoadedAccount> {
  const json: unknown = JSON.parse(unseal(await services.keyRing(), connection.id, connection.sealed));
  return { connection, credentials: v.parse(CredentialsSchema, json) };
}

export async function sealCredentials(
  services: Services,
  connectionId: string,
  credentials: Credentials,
): Promise<string> {
  return seal(await services.keyRing(), connectionId, JSON.stringify(credentials));
}

/**
 * Opens an account; credentials about to expire are renewed first. Where that fails, those that are there serve until
 * they end. Throws PlatformError then, when the grant is dead or the platform does not answer.
 */
export async function loadFreshAccount(services: Services, connection: Connection): Promise<LoadedAccount> {
  const account = await loadAccount(services, connection);
  if (lastsFor(RENEW_AHEAD_MS, connection, services.now())) return account;
  try {
    return await renewAccount(services, account);
  } catch (error) {
    if (error instanceof PlatformError && hasToken(connection, services.now())) return account;
    throw error;
  }
}

/** True while an account can be used: one that must be reconnected has its access token until that ends. */
export function hasValidCredentials(connection: Connection, now: number): boolean {
  return !connection.needs_reconnect || hasToken(connection, now);
}

const hasToken = (connection: Connection, now: number) =>
  connection.token_expires_at !== null && lastsFor(LAST_USE_MS, connection, now);

const lastsFor = (ms: number, { token_expires_at }: Connection, now: number) =>
  token_expires_at === null || token_expires_at - now > ms;

/**
 * When credentials that end at `expiresAt` are to be renewed although nobody needs them at that moment; null for those
 * that never end or cannot be renewed. Epoch milliseconds.
 */
export function renewalTime(platform: PlatformId, expiresAt: number | null, now: number): number | null {
  if (expiresAt === null || !CONNECTORS[platform]?.renew) return null;
  return expiresAt - Math.min(EARLIEST_RENEWAL_MS, Math.max(0, expiresAt - now) * RENEWAL_SHARE);
}

/**
 * Exchanges the credentials that `account` was opened with, once over all containers: whoever does not get the lease
 * waits for the winner's. Throws PlatformError: `token_expired` when the grant is dead (the account is then marked),
 * `transient` when the platform or the winner did not answer in time.
 */
export async function renewAccount(services: Services, account: LoadedAccount): Promise<LoadedAccount> {
  const { connection } = account;
  const renew = CONNECTORS[connection.platform]?.renew;
  if (!renew) return loseAccount(services, connection, 'The platform refused the credentials');
  for (let poll = 0; poll < POLLS; poll += 1) {
    const current = await currentConnection(services, connection);
    if (current.revision !== connection.revision) return loadAccount(services, current);
    if (current.needs_reconnect) throw deadGrant('The account must be reconnected');
    const now = services.now();
    // Those who wait read that the lease is taken, and write nothing.
    const isFree = (current.renewal_lease_until ?? 0) < now;
    if (isFree && (await acquireRenewalLease(services.table, current, now, now + LEASE_MS))) {
      return renewAlone(services, account, renew);
    }
    await new Promise(resolve => setTimeout(resolve, POLL_MS));
  }
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'Another worker is still renewing the credentials',
  });
}

async function renewAlone(
  services: Services,
  account: LoadedAccount,
  renew: NonNullable<Connector['renew']>,
): Promise<LoadedAccount> {
  const { connection, credentials } = account;
  const app = await loadPlatformApp(services.ssm, services.setting(ENV.parameterPrefix), connection.platform);
  try {
    const renewal = await withConnectContext(services, connection, context =>
      renew({ credentials, attributes: connection.attributes, app }, context),
    );
    return await storeRenewal(services, account, renewal);
  } catch (error) {
    const dead = error instanceof PlatformError && error.kind === 'token_expired';
    if (!dead) {
      await releaseRenewalLease(services.table, connection);
      throw error;
    }
    return loseAccount(services, connection, error.message);
  }
}

async function storeRenewal(
  services: Services,
  account: LoadedAccount,
  renewal: Renewal,
): Promise<LoadedAccount> {
  const { connection } = account;
  const credentials = mergeCredentials(account.credentials, renewal.credentials);
  const changed = {
    sealed: await sealCredentials(services, connection.id, credentials),
    token_expires_at: renewal.token_expires_at,
    attributes: { ...connection.attributes, ...renewal.attributes },
  };
  const renewAt = renewalTime(connection.platform, changed.token_expires_at, services.now());
  const saved = await saveCredentials(services.table, connection, changed, renewAt);
  if (!saved) return loadAccount(services, await currentConnection(services, connection));
  return { connection: { ...connection, ...changed, revision: connection.revision + 1 }, credentials };
}

/** An absent or empty value never overwrites a stored one. */
export function mergeCredentials(stored: Credentials, given: Partial<Credentials>): Credentials {
  const kept = (name: keyof Credentials) => (given[name] ? given[name] : stored[name]);
  return { access_token: kept('access_token'), refresh_token: kept('refresh_token'), secret: kept('secret') };
}

/**
 * Marks an account as lost, unless another worker stored fresh credentials meanwhile: those are then given back.
 * Throws PlatformError `token_expired` otherwise.
 */
async function loseAccount(services: Services, connection: Connection, why: string): Promise<LoadedAccount> {
  if (!(await markNeedsReconnect(services.table, connection))) {
    const current = await currentConnection(services, connection);
    if (!current.needs_reconnect) return loadAccount(services, current);
  }
  throw deadGrant(why);
}

async function currentConnection(services: Services, connection: Connection): Promise<Connection> {
  const { workspace_id, profile_id, platform } = connection;
  const current = await getConnection(services.table, workspace_id, profile_id, platform);
  if (current?.id !== connection.id) throw deadGrant('The account was disconnected');
  return current;
}

const deadGrant = (message: string) =>
  new PlatformError({ kind: 'token_expired', code: 'TOKEN_EXPIRED', message });

/** Lends clients for one exchange with a platform. */
export async function withConnectContext<T>(
  services: Pick<Services, 'now'>,
  { platform }: Pick<Connection, 'platform'>,
  use: (context: ConnectContext) => Promise<T>,
): Promise<T> {
  const client = createHttpClient();
  try {
    return await use({ http: platformHttp(platform, client), guarded: client, now: services.now });
  } finally {
    client.close();
  }
}
