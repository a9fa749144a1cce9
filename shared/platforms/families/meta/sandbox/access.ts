import { createHmac } from 'node:crypto';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { JsonObject } from '../../../../model/json.ts';
import { paramsOf } from './params.ts';
import { graphError, graphErrorBody, missingPermission, refuse } from './responses.ts';
import type { MetaState, MetaToken } from './state.ts';

/** Who calls. */
export interface Caller extends MetaToken {
  token: string;
}

export interface Operation {
  /** Permissions that the token needs. */
  scopes?: readonly string[];
  /** True for paths below `/me`. */
  self?: boolean;
}

type Handler = (c: Context, caller: Caller) => Response | Promise<Response>;

/**
 * Wraps a handler with checks of token, proof, limits and permissions. Every response carries the headers of the usage
 * that `POST /_control/limits` set.
 */
export function guarded(state: MetaState, { scopes = [], self = false }: Operation, handler: Handler) {
  return async (c: Context): Promise<Response> => {
    try {
      const params = await paramsOf(c);
      if (params['date_format'] !== undefined)
        graphError({ code: 100, message: '(#100) The parameter date_format is no longer supported' });
      const caller = authenticate(state, tokenOf(c, params), self);
      checkProof(state, caller.token, params['appsecret_proof']);
      const limit = limitOf(state, caller);
      if (typeof limit?.['code'] === 'number') return limitReached(limit, caller);
      requireScopes(caller, scopes);
      const response = await handler(c, caller);
      for (const [name, value] of Object.entries(usageHeaders(limit, caller)))
        response.headers.set(name, value);
      return response;
    } catch (error) {
      if (error instanceof HTTPException) return error.getResponse();
      throw error;
    }
  };
}

/** Ends the request unless the caller has all of these permissions. */
export function requireScopes({ scopes }: Pick<Caller, 'scopes'>, needed: readonly string[]): void {
  const missing = needed.filter(scope => !scopes.includes(scope));
  if (missing.length > 0) missingPermission(missing);
}

function tokenOf(c: Context, params: Readonly<Record<string, string>>): string | undefined {
  const header = /^(?:Bearer|OAuth) (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1];
  return header ?? params['access_token'];
}

const TOKEN_MESSAGES: Readonly<Record<number, string>> = {
  458: 'Error validating access token: The user has not authorized application 1.',
  459: 'Error validating access token: The session has been invalidated because the user needs to confirm the identity (checkpoint).',
  460: 'Error validating access token: The session has been invalidated because the user changed their password or Facebook has changed the session for security reasons.',
  463: 'Error validating access token: Session has expired on Sunday, 01-Mar-26 00:00:00 PST. The current time is Monday, 02-Mar-26 02:00:00 PST.',
  464: 'Error validating access token: Sessions for the user are not allowed because the user is not a confirmed user.',
  467: 'Error validating access token: The session is invalid because the user logged out.',
  492: 'Error validating access token: Session does not match current stored session. This may be because the user does not have sufficient administrative permission.',
};

/** Returns the caller of a token. Ends the request with code 190 for one that is unknown, expired or revoked. */
export function authenticate(state: MetaState, token: string | undefined, self = false): Caller {
  if (token === undefined || token === '') {
    return self
      ? graphError({
          code: 2500,
          message: 'An active access token must be used to query information about the current user.',
        })
      : graphError({ code: 104, message: '(#104) An access token is required to request this resource.' });
  }
  const stored = state.tokens.get(token);
  if (!stored)
    return graphError({
      status: 401,
      code: 190,
      message: `Invalid OAuth access token - Cannot parse access token: ${token}`,
    });
  const expired = stored.expires_at !== null && stored.expires_at <= state.host.now() ? 463 : null;
  const subcode = stored.error_subcode ?? expired;
  if (subcode !== null)
    return graphError({
      code: 190,
      subcode,
      message: TOKEN_MESSAGES[subcode] ?? 'Error validating access token',
    });
  return { ...stored, token };
}

/** A wrong proof is always refused; a missing one where the app requires it (mode `require_proof`). */
function checkProof({ app, modes }: MetaState, token: string, proof: string | undefined): void {
  if (proof === undefined && modes.get('require_proof') !== true) return;
  const expected = createHmac('sha256', app.client_secret).update(token).digest('hex');
  if (proof === expected) return;
  graphError({
    code: 100,
    type: 'GraphMethodException',
    message:
      proof === undefined
        ? 'API calls from the server require an appsecret_proof argument'
        : 'Invalid appsecret_proof provided in the API argument',
  });
}

function limitOf({ host, platform }: MetaState, { page_id, user_id }: Caller): JsonObject | null {
  return host.limit(platform, page_id ?? user_id);
}

/** `POST /_control/limits {code, subcode?, minutes?}`: every call is refused with this error. */
function limitReached(limit: JsonObject, caller: Caller): never {
  const { code, subcode, message } = limit;
  return refuse(
    code === 4 ? 403 : 400,
    graphErrorBody({
      code: Number(code),
      ...(typeof subcode === 'number' ? { subcode } : {}),
      message:
        typeof message === 'string'
          ? message
          : `(#${Number(code)}) There have been too many calls. Wait a bit.`,
    }),
    usageHeaders({ usage: 100, ...limit }, caller),
  );
}

/** `{usage: <percent>, minutes?}`: the budget of calls that is used up, and when it can be used again. */
function usageHeaders(limit: JsonObject | null, { page_id, user_id }: Caller): Record<string, string> {
  const { usage, minutes, app_usage } = limit ?? {};
  const business = {
    [page_id ?? user_id]: [
      {
        type: 'pages',
        call_count: usage,
        total_cputime: 3,
        total_time: 4,
        ...(typeof minutes === 'number' ? { estimated_time_to_regain_access: minutes } : {}),
      },
    ],
  };
  return {
    ...(typeof usage === 'number' ? { 'x-business-use-case-usage': JSON.stringify(business) } : {}),
    ...(typeof app_usage === 'number'
      ? { 'x-app-usage': JSON.stringify({ call_count: app_usage, total_time: 25, total_cputime: 25 }) }
      : {}),
  };
}
