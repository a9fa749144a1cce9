import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import * as v from 'valibot';
import { parseJson, type JsonObject } from '../../../model/json.ts';
import { MINUTE } from '../../../time/instant.ts';
import { settingsOf, type TikTokAccount, type TikTokState } from './state.ts';

type Status = 200 | 400 | 401 | 403 | 404 | 429;

const logId = () => `20261127010203${Math.random().toString(16).slice(2, 12).toUpperCase()}`;

/** Answers a success: everything but the token endpoint uses this envelope. */
export const ok = (c: Context, data: object) =>
  c.json({ data, error: { code: 'ok', message: '', log_id: logId() } });

/** Ends a request with an error in the envelope. */
export function refuse(status: Status, code: string, message: string): never {
  const body = { data: {}, error: { code, message, log_id: logId() } };
  throw new HTTPException(status, { res: Response.json(body, { status }) });
}

export const invalid = (message: string) => refuse(400, 'invalid_params', message);

export interface Grant {
  account: TikTokAccount;
  scopes: readonly string[];
}

/** A limit of calls in a minute; each account has its own. */
export interface Rate {
  name: string;
  perMinute: number;
}

export const INIT: Rate = { name: 'init', perMinute: 6 };
export const CREATOR_INFO: Rate = { name: 'creator_info', perMinute: 20 };
export const STATUS: Rate = { name: 'status', perMinute: 30 };
export const READ: Rate = { name: 'read', perMinute: 600 };

/** Ends the request when the token is unknown or expired, has none of the scopes, or calls too often. */
export function authorize(c: Context, state: TikTokState, rate: Rate, ...anyOf: string[]): Grant {
  const token = /^Bearer (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
  const stored = state.access.get(token);
  const account = stored && state.accounts.get(stored.account_id);
  if (!account || stored.expires_at <= state.host.now()) {
    return refuse(401, 'access_token_invalid', 'The access token is invalid or not found in the request.');
  }
  if (!anyOf.some(scope => stored.scopes.includes(scope))) return missingScope();
  limitRate(state, account, rate);
  refuseAsAnnounced(state, account, rate);
  return { account, scopes: stored.scopes };
}

export const missingScope = () =>
  refuse(
    401,
    'scope_not_authorized',
    'The user did not authorize the scope required for completing this request.',
  );

function limitRate(state: TikTokState, { id }: TikTokAccount, { name, perMinute }: Rate): void {
  if (!settingsOf(state).rate_limits) return;
  const now = state.host.now();
  const key = `${id} ${name}`;
  const recent = (state.calls.get(key) ?? []).filter(at => at > now - MINUTE);
  if (recent.length >= perMinute) {
    refuse(429, 'rate_limit_exceeded', 'The API rate limit was exceeded. Please try again later.');
  }
  state.calls.set(key, [...recent, now]);
}

/** `POST /_control/limits {code, status?, on?}`: refuses the calls of one limit (default `creator_info`) with a code. */
function refuseAsAnnounced({ host }: TikTokState, { id }: TikTokAccount, { name }: Rate): void {
  const { code, status = 200, on = 'creator_info' } = host.limit('tiktok', id) ?? {};
  if (typeof code === 'string' && on === name) refuse(status as Status, code, 'Refused as announced');
}

/** Parses a JSON body; an empty one counts as `{}`. Ends the request where it does not match the schema. */
export async function jsonBody<T extends JsonObject>(
  c: Context,
  schema: v.GenericSchema<unknown, T>,
): Promise<T> {
  const text = await c.req.text();
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/json\b/.test(type)) return invalid('Content-Type must be application/json');
  const parsed = v.safeParse(schema, text === '' ? {} : parseJson(text));
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const field = v.getDotPath(issue) ?? 'body';
  return invalid(`The request parameter ${field} is empty or incorrect: ${issue.message}`);
}
