import * as v from 'valibot';
import {
  defineConnector,
  type AccountIdentity,
  directWay,
  type ConnectContext,
  type ConnectedAccount,
  type Grant,
  type Lifetime,
  type Renewal,
} from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { renewableUntil } from '../kit/lifetime.ts';
import {
  valueOf,
  createSession,
  deleteSession,
  getProfile,
  refreshSession,
  type Server,
  type Session,
} from './client.ts';
import { toPlatformError, type ErrorResponse } from './errors.ts';
import { findServer, isAllowedServer, serverIn } from './identity.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { claimsOf } from './session.ts';

const ENTRYWAY = 'https://bsky.social';
const APP_PASSWORD = /^[a-z0-9]{4}(?:-[a-z0-9]{4}){3}$/i;
/** Scope of a session that was created with the main password. */
const MAIN_PASSWORD_SCOPE = 'com.atproto.access';

const InputSchema = v.object({
  identifier: v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty('Must not be empty'),
    v.maxLength(300, 'Must be at most 300 characters'),
  ),
  app_password: v.pipe(
    v.string(),
    v.trim(),
    v.regex(APP_PASSWORD, 'Must be an app password (xxxx-xxxx-xxxx-xxxx), not the password of the account'),
  ),
  service: v.optional(
    v.pipe(
      v.string(),
      v.trim(),
      v.check(text => isAllowedServer(text), 'Must be the https URL of a server, without a path'),
    ),
    ENTRYWAY,
  ),
});
type Input = v.InferOutput<typeof InputSchema>;

export const connector = defineConnector<Credentials>({
  credentials: CredentialsSchema,
  ways: [directWay({ id: 'app_password', input: InputSchema, connect })],
  targets: 'none',
  renew,
  revoke,
});

async function connect(
  { identifier, app_password, service }: Input,
  { http, now }: ConnectContext,
): Promise<Grant<Credentials>> {
  const server = { http, url: service };
  const result = await createSession(server, normalizeIdentifier(identifier), app_password);
  if (!result.ok) throw loginError(result.errorResponse);
  const session = result.value;
  assertUsable(session);

  const pds = serverIn(session.didDoc) ?? (await findServer(http, session.did)) ?? service;
  const { scope } = claimsOf(session.accessJwt);
  return {
    account: await accountOf({ http, url: pds }, session),
    credentials: credentialsOf(session, app_password),
    scopes: scope === null ? [] : [scope],
    attributes: { pds, did: session.did },
    ...lifetimeOf(session, now()),
  };
}

/**
 * Refreshes the session. Where its refresh token is dead the stored app password opens a new one, once: logins are few
 * a day and shared by all of the user's programs.
 */
async function renew(
  account: ConnectedAccount<Credentials>,
  { http, now }: ConnectContext,
): Promise<Renewal<Credentials>> {
  const known = { http, url: account.attributes['pds'] ?? ENTRYWAY };
  const refreshed = await refresh(known, account);
  const server = refreshed ? known : await currentServer(known, account);
  const session = refreshed ?? (await logInAgain(server, account));
  return {
    credentials: credentialsOf(session, account.credentials.app_password),
    ...lifetimeOf(session, now()),
    attributes: { pds: serverIn(session.didDoc) ?? server.url },
  };
}

async function revoke(
  { credentials, attributes }: ConnectedAccount<Credentials>,
  { http }: ConnectContext,
): Promise<void> {
  valueOf(await deleteSession({ http, url: attributes['pds'] ?? ENTRYWAY }, credentials.refresh_token));
}

/** Null where the refresh token is of no use any more. */
async function refresh(
  server: Server,
  { credentials }: ConnectedAccount<Credentials>,
): Promise<Session | null> {
  const result = await refreshSession(server, credentials.refresh_token);
  if (result.ok) return result.value;
  const error = toPlatformError(result.errorResponse);
  if (error.kind !== 'token_expired') throw error;
  return null;
}

/** The account may have moved to another server since: its DID knows. */
async function currentServer(
  { http, url }: Server,
  { attributes }: ConnectedAccount<Credentials>,
): Promise<Server> {
  const home = await findServer(http, attributes['did'] ?? '');
  return { http, url: home ?? url };
}

async function logInAgain(
  server: Server,
  { credentials, attributes }: ConnectedAccount<Credentials>,
): Promise<Session> {
  const did = attributes['did'];
  if (did === undefined) throw expired('The session has ended');
  return valueOf(await createSession(server, did, credentials.app_password));
}

/** Normalizes an identifier as users type it: `@alice`, `Alice.bsky.social`, with invisible direction marks. */
export function normalizeIdentifier(text: string): string {
  const plain = text
    .replace(/[\p{Cf}\s]/gu, '')
    .replace(/^@/, '')
    .toLowerCase();
  return /[.@:]/.test(plain) ? plain : `${plain}.bsky.social`;
}

function credentialsOf({ accessJwt, refreshJwt }: Session, app_password: string): Credentials {
  return { access_token: accessJwt, refresh_token: refreshJwt, app_password };
}

function lifetimeOf({ accessJwt }: Session, now: number): Lifetime {
  const { expiresAt } = claimsOf(accessJwt);
  return expiresAt === null ? { renew_at: null, expires_at: null } : renewableUntil(expiresAt, now);
}

/** Messages for the user who enters the app password. */
const LOGIN_MESSAGES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    AuthenticationRequired: 'Bluesky does not accept this identifier and app password',
    AuthFactorTokenRequired: 'Bluesky asks for a second factor: create an app password and use it',
    AccountTakedown: 'Bluesky has taken this account down',
  }),
);

function loginError(errorResponse: ErrorResponse): PlatformError {
  const error = toPlatformError(errorResponse);
  if (error.kind === 'transient' || error.kind === 'rate_limited') return error;
  return rejected(
    LOGIN_MESSAGES.get(errorResponse.error) ?? `The server refused the login: ${error.message}`,
  );
}

function assertUsable({ active, status, accessJwt }: Session): void {
  if (!active) throw rejected(`The account is ${status ?? 'not active'}`);
  if (claimsOf(accessJwt).scope === MAIN_PASSWORD_SCOPE) {
    throw rejected('This is the main password of the account: create an app password and use it');
  }
}

/** Name and picture are optional: a server without an AppView has none. */
async function accountOf(server: Server, { did, handle, accessJwt }: Session): Promise<AccountIdentity> {
  const profile = await getProfile(server, accessJwt, did).catch(() => null);
  const { displayName = '', avatar } = profile?.ok ? profile.value : {};
  return {
    platform_user_id: did,
    display_name: displayName || handle,
    username: handle === 'handle.invalid' ? null : handle,
    avatar_url: avatar ?? null,
  };
}

function rejected(message: string): PlatformError {
  return new PlatformError({ kind: 'rejected', code: 'PERMISSION_MISSING', message });
}

function expired(message: string): PlatformError {
  return new PlatformError({ kind: 'token_expired', code: 'TOKEN_EXPIRED', message });
}
