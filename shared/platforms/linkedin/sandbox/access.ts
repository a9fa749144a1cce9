import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { badRequest, denied, refuse, unauthorized } from './responses.ts';
import { APPS, settingsOf, type Grant, type LinkedInState } from './state.ts';

export type Handler = (c: Context, grant: Grant) => Response | Promise<Response>;

/** Wraps a handler of the versioned API with checks of token, version, protocol and rate limit. */
export function versioned(state: LinkedInState, handler: Handler) {
  return guarded(state, (c, grant) => {
    checkVersion(state, c);
    if (c.req.header('x-restli-protocol-version') !== '2.0.0') {
      return badRequest('PARAM_INVALID', 'X-Restli-Protocol-Version must be 2.0.0');
    }
    checkLimit(state, grant);
    return handler(c, grant);
  });
}

/** Wraps a handler with a check of the token. */
export function guarded(state: LinkedInState, handler: Handler) {
  return async (c: Context): Promise<Response> => {
    try {
      return await handler(c, bearer(state, c));
    } catch (error) {
      if (error instanceof HTTPException) return error.getResponse();
      throw error;
    }
  };
}

function bearer(state: LinkedInState, c: Context): Grant {
  const header = c.req.header('authorization');
  if (header === undefined) return unauthorized(65604, 'EMPTY_ACCESS_TOKEN', 'Empty oauth2 access token');
  const token = /^Bearer (\S+)$/.exec(header)?.[1] ?? '';
  const stored = state.access.get(token);
  const member = stored && state.members.get(stored.member_id);
  const app = APPS.find(({ client_id }) => client_id === stored?.client_id);
  if (!member || !app) return unauthorized(65600, 'INVALID_ACCESS_TOKEN', 'Invalid access token');
  if (stored.state === 'revoked') {
    const message = 'The token used in the request has been revoked by the user';
    return unauthorized(65601, 'REVOKED_ACCESS_TOKEN', message);
  }
  if (stored.state === 'expired' || stored.expires_at <= state.host.now()) {
    return unauthorized(65602, 'EXPIRED_ACCESS_TOKEN', 'The token used in the request has expired');
  }
  return { token, member, app, scopes: stored.scopes };
}

function checkVersion(state: LinkedInState, c: Context): void {
  const version = c.req.header('linkedin-version');
  if (version === undefined || !/^\d{6}$/.test(version)) {
    badRequest(
      'VERSION_MISSING',
      'A version must be present. Please specify a version by adding the LinkedIn-Version header.',
    );
  }
  const { first_version, last_version } = settingsOf(state);
  if (version >= first_version && version <= last_version) return;
  const message = `Requested version ${version}01 is not active`;
  refuse(426, { status: 426, code: 'NONEXISTENT_VERSION', message });
}

/** A limit set by `POST /_control/limits`: `{text, retry_after}`; the text is usually `MEMBER DAY` or `APPLICATION DAY`. */
function checkLimit(state: LinkedInState, { member }: Grant): void {
  const limit = state.host.limit('linkedin', member.id);
  if (limit === null) return;
  const words = typeof limit['text'] === 'string' ? `${limit['text']} ` : '';
  const message = `Resource level throttle ${words}limit for calls to this resource is reached.`;
  const seconds = limit['retry_after'];
  refuse(
    429,
    { status: 429, serviceErrorCode: 101, code: 'TOO_MANY_REQUESTS', message },
    typeof seconds === 'number' ? { 'retry-after': String(seconds) } : {},
  );
}

/** Ends the request unless one of the scopes was granted. */
export function requireScope(c: Context, { scopes }: Grant, resource: string, ...anyOf: string[]): void {
  if (anyOf.some(scope => scopes.includes(scope))) return;
  const version = c.req.header('linkedin-version');
  denied(version === undefined ? `${resource}.NO_VERSION` : `${resource}.${version}01`);
}
