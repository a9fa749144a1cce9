import * as v from 'valibot';
import type { ConnectContext, DirectConnector, Grant, RenewInput, Renewal } from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import {
  valueOf,
  createSession,
  deleteSession,
  getProfile,
  refreshSession,
  type Result,
  type Server,
  type Session,
} from './client.ts';
import { toPlatformError, type ErrorResponse } from './errors.ts';
import { findServer, isAllowedServer, serverIn } from './identity.ts';
import { claimsOf, tokensOf } from './session.ts';

const ENTRYWAY = 'https://bsky.social';
const APP_PASSWORD = /^[a-z0-9]{4}(?:-[a-z0-9]{4}){3}$/i;
/** The claim of a session that a main password opened. */
const MAIN_PASSWORD_SCOPE = 'com.atproto.access';

const InputSchema = v.object({
  identifier: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(300)),
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

/** Connects with an app password: a secret that the user makes for one program and can take back. */
export const connector: DirectConnector = {
  kind: 'direct',
  input: InputSchema,
  rotates: true,
  connect,
  renew,
  revoke,
};

async function connect(input: unknown, { http }: ConnectContext): Promise<Grant> {
  const { identifier, app_password, service } = parseInput(input);
  const server = { http, url: service };
  const answer = await createSession(server, normalizeIdentifier(identifier), app_password);
  if (!answer.ok) throw refusedLogin(answer.errorResponse);
  const session = answer.value;
  refuseUnusable(session);

  const pds = serverIn(session.didDoc) ?? (await findServer(http, session.did)) ?? service;
  const { expiresAt, scope } = claimsOf(session.accessJwt);
  return {
    account: await accountOf({ http, url: pds }, session),
    credentials: { ...tokensOf(session), secret: app_password },
    scopes: scope === null ? [] : [scope],
    attributes: { pds, did: session.did },
    token_expires_at: expiresAt,
  };
}

/**
 * Refreshes the session. Where its refresh token is dead the stored app password opens a new one, once: logins are few
 * a day and shared by all of the user's programs.
 */
async function renew(input: RenewInput, { http }: ConnectContext): Promise<Renewal> {
  const known = { http, url: input.attributes['pds'] ?? ENTRYWAY };
  const refreshed = await refresh(known, input);
  const server = refreshed ? known : await currentServer(known, input);
  const session = refreshed ?? (await logInAgain(server, input));
  return {
    credentials: tokensOf(session),
    token_expires_at: claimsOf(session.accessJwt).expiresAt,
    attributes: { ...input.attributes, pds: serverIn(session.didDoc) ?? server.url },
  };
}

async function revoke({ credentials, attributes }: RenewInput, { http }: ConnectContext): Promise<void> {
  if (credentials.refresh_token === null) return;
  valueOf(await deleteSession({ http, url: attributes['pds'] ?? ENTRYWAY }, credentials.refresh_token));
}

/** Null where the refresh token is of no use any more. */
async function refresh(server: Server, { credentials }: RenewInput): Promise<Session | null> {
  if (credentials.refresh_token === null) return null;
  const answer = await refreshSession(server, credentials.refresh_token);
  return sessionOrNull(answer);
}

function sessionOrNull(answer: Result<Session>): Session | null {
  if (answer.ok) return answer.value;
  const error = toPlatformError(answer.errorResponse);
  if (error.kind !== 'token_expired') throw error;
  return null;
}

/** The account may have moved to another server since: its DID knows. */
async function currentServer({ http, url }: Server, { attributes }: RenewInput): Promise<Server> {
  const home = await findServer(http, attributes['did'] ?? '');
  return { http, url: home ?? url };
}

async function logInAgain(server: Server, { credentials, attributes }: RenewInput): Promise<Session> {
  const did = attributes['did'];
  if (did === undefined || credentials.secret === null) throw expired('The session has ended');
  return valueOf(await createSession(server, did, credentials.secret));
}

/** As users write it: `@alice`, `Alice.bsky.social`, with the direction marks of a copied profile. */
export function normalizeIdentifier(text: string): string {
  const plain = text
    .replace(/[\p{Cf}\s]/gu, '')
    .replace(/^@/, '')
    .toLowerCase();
  return /[.@:]/.test(plain) ? plain : `${plain}.bsky.social`;
}

function parseInput(input: unknown): Input {
  const parsed = v.safeParse(InputSchema, input);
  if (parsed.success) return parsed.output;
  throw rejected(parsed.issues[0].message);
}

/** Words for the one who stands before the form. */
const LOGIN_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    AuthenticationRequired: 'Bluesky does not know this identifier and app password',
    AuthFactorTokenRequired: 'Bluesky asks for a second factor: make an app password and use that',
    AccountTakedown: 'Bluesky has taken this account down',
  }),
);

function refusedLogin(errorResponse: ErrorResponse): PlatformError {
  const error = toPlatformError(errorResponse);
  if (error.kind === 'transient' || error.kind === 'rate_limited') return error;
  return rejected(LOGIN_WORDS.get(errorResponse.error) ?? `The server refused the login: ${error.message}`);
}

function refuseUnusable({ active, status, accessJwt }: Session): void {
  if (!active) throw rejected(`The account is ${status ?? 'not active'}`);
  if (claimsOf(accessJwt).scope === MAIN_PASSWORD_SCOPE) {
    throw rejected('This is the password of the account: make an app password and use that');
  }
}

/** Name and picture are an ornament: a server without an AppView has none, and connects all the same. */
async function accountOf(server: Server, { did, handle, accessJwt }: Session): Promise<Grant['account']> {
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
