import type { Context, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import * as v from 'valibot';
import type { PinterestAccount, PinterestState, StoredToken, World } from './state.ts';

type Status = 400 | 401 | 403 | 404 | 409 | 413 | 429;

/** Ends a request with an error response. */
export function refuse(status: Status, code: number, message: string): never {
  const headers = { 'x-pinterest-rid': '5130121023010031' };
  throw new HTTPException(status, { res: Response.json({ code, message }, { status, headers }) });
}

export const invalid = (message: string) => refuse(400, 1, message);

export const authenticationFailed = () => refuse(401, 2, 'Authentication failed.');

/** What a token grants. */
export interface Grant {
  account: PinterestAccount;
  stored: StoredToken;
  world: World;
}

export const worldOf = (c: Context): World =>
  c.req.path.includes('/api-sandbox.pinterest.com/') ? 'sandbox' : 'production';

function tokenOf(c: Context, state: PinterestState): { stored?: StoredToken; account?: PinterestAccount } {
  const token = /^Bearer (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
  const stored = state.access.get(token);
  const account = stored && state.accounts.get(stored.account_id);
  return stored && account ? { stored, account } : {};
}

/** Adds the state of the rate limit to every response of the API, errors included. */
export const rateLimitHeaders =
  (state: PinterestState): MiddlewareHandler =>
  async (c, next) => {
    await next();
    const reset = tokenOf(c, state).account?.rate_limit_reset_s ?? null;
    if (reset === null) return;
    const headers = { limit: 1000, remaining: 500, reset };
    for (const [name, value] of Object.entries(headers)) {
      c.res.headers.set(`x-ratelimit-${name}`, String(value));
    }
  };

/** Ends the request when the token is unknown, expired, of the other host, or lacks a scope. */
export function authorize(c: Context, state: PinterestState, scopes: readonly string[]): Grant {
  const { stored, account } = tokenOf(c, state);
  const world = worldOf(c);
  if (!stored || !account || stored.expires_at <= state.host.now() || stored.world !== world)
    return authenticationFailed();
  if (scopes.some(scope => !stored.scopes.includes(scope))) {
    return refuse(
      account.scope_status,
      3,
      'Your token does not have sufficient permissions to perform this operation.',
    );
  }
  announcedLimit(state, account);
  return { account, stored, world };
}

/** `POST /_control/limits {code: 8}` for the rate limit, `{code: "spam"}` for a refusal as spam. */
function announcedLimit({ host }: PinterestState, { id }: PinterestAccount): void {
  const code = host.limit('pinterest', id)?.['code'];
  if (code === 8) refuse(429, 8, 'You have exceeded your rate limit. Try again later.');
}

/** Parses a JSON body. Ends the request with a message that names field and constraint. */
export async function jsonBody<T>(c: Context, schema: v.GenericSchema<unknown, T>): Promise<T> {
  const isJson = (c.req.header('content-type') ?? '').startsWith('application/json');
  const body: unknown = isJson ? await c.req.json().catch(() => null) : null;
  const parsed = v.safeParse(schema, body);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  return invalid(`'${v.getDotPath(issue) ?? 'body'}': ${issue.message}`);
}

/** Answers a page of a list: `page_size` items after `bookmark`. */
export function page(c: Context, items: readonly unknown[]): Response {
  const size = Number(c.req.query('page_size') ?? 25);
  if (!Number.isInteger(size) || size < 1 || size > 250) invalid("'page_size': must be from 1 to 250");
  const start = Number(Buffer.from(c.req.query('bookmark') ?? '', 'base64url').toString() || 0);
  const end = start + size;
  const bookmark = end < items.length ? Buffer.from(String(end)).toString('base64url') : null;
  return c.json({ items: items.slice(start, end), bookmark });
}
