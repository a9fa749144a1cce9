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
import {
  assertNotMoved,
  ENTRYWAY,
  isAllowedServer,
  isLoginServer,
  reconnectError,
  resolveServer,
} from './identity.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { claimsOf } from './session.ts';

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

  // The caller named the server: the directory of the DID must confirm that the account is there.
  const pds = await resolveServer(http, session.did);
  if (!isLoginServer(service, pds)) throw wrongServer(service, pds, session.did);
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
 * Refreshes the session. When its refresh token is refused, the stored app password opens a new one, once: the number of
 * logins a day is small and shared by all clients of the user. Tokens go to the server of the connect only.
 */
async function renew(
  account: ConnectedAccount<Credentials>,
  { http, now }: ConnectContext,
): Promise<Renewal<Credentials>> {
  const { credentials, attributes } = account;
  const server = { http, url: attributes['pds'] ?? ENTRYWAY };
  const result = await refreshSession(server, credentials.refresh_token);
  const session = result.ok ? result.value : await logInAgain(server, account, result.errorResponse);
  if (session.did !== account.platform_user_id) {
    throw reconnectError('The server answered with a session of another account: reconnect the account');
  }
  if (!session.active) {
    await assertNotMoved(http, session.did, server.url);
    throw reconnectError(`The account is ${session.status ?? 'not active'}: activate it, then reconnect it`);
  }
  return { credentials: credentialsOf(session, credentials.app_password), ...lifetimeOf(session, now()) };
}

async function revoke(
  { credentials, attributes }: ConnectedAccount<Credentials>,
  { http }: ConnectContext,
): Promise<void> {
  valueOf(await deleteSession({ http, url: attributes['pds'] ?? ENTRYWAY }, credentials.refresh_token));
}

/** Opens a new session with the app password, where the refresh token alone was refused. */
async function logInAgain(
  server: Server,
  { credentials, platform_user_id }: ConnectedAccount<Credentials>,
  refused: ErrorResponse,
): Promise<Session> {
  const error = toPlatformError(refused);
  if (error.kind !== 'token_expired') throw error;
  await assertNotMoved(server.http, platform_user_id, server.url);
  switch (refused.error) {
    case 'AccountDeactivated':
      throw reconnectError('The account is deactivated: activate it, then reconnect it');
    case 'AccountTakedown':
      throw reconnectError('Bluesky has taken this account down');
    case 'AccountNotFound':
      // The DID still names this server, which does not know the account at the moment.
      throw new PlatformError({
        kind: 'transient',
        code: 'PLATFORM_UNAVAILABLE',
        message: error.message,
      });
    default:
      return valueOf(await createSession(server, platform_user_id, credentials.app_password));
  }
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

function wrongServer(service: string, pds: string, did: string): PlatformError {
  return rejected(
    `${new URL(service).host} is not the server of the account ${did}: connect it with service ${pds}`,
  );
}
