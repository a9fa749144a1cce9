import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { forbidden, refuse, unauthorized } from './answers.ts';
import type { Grant, XState } from './state.ts';

const MINUTE = 60_000;
const WINDOW_MS = 15 * MINUTE;
const DAY_MS = 24 * 60 * MINUTE;
const DAILY_USER_LIMIT = 2400;
const DAILY_APP_LIMIT = 10_000;

interface Operation {
  scopes: readonly string[];
  /** Requests a user in 15 minutes. */
  limit: number;
}

const MEDIA = ['media.write'];
const READ = ['tweet.read', 'users.read'];
const WRITE = ['tweet.read', 'tweet.write', 'users.read'];

export const OPERATIONS = {
  me: { scopes: READ, limit: 75 },
  initialize: { scopes: MEDIA, limit: 1875 },
  append: { scopes: MEDIA, limit: 1875 },
  finalize: { scopes: MEDIA, limit: 1875 },
  status: { scopes: MEDIA, limit: 1000 },
  metadata: { scopes: MEDIA, limit: 500 },
  create: { scopes: WRITE, limit: 100 },
  lookup: { scopes: READ, limit: 5000 },
  timeline: { scopes: READ, limit: 900 },
  delete: { scopes: WRITE, limit: 50 },
} as const satisfies Record<string, Operation>;
export type OperationName = keyof typeof OPERATIONS;

type Handler = (c: Context, grant: Grant) => Response | Promise<Response>;

/** A handler behind bearer token, scopes and rate limit; every answer carries the limit's headers. */
export function guarded(state: XState, name: OperationName, handler: Handler) {
  return async (c: Context): Promise<Response> => {
    const { headers, exceeded, grant } = admit(state, c, name);
    const response = await answer(() => {
      if (!grant) return unauthorized();
      if (OPERATIONS[name].scopes.some(scope => !grant.scopes.includes(scope))) return forbidden('Forbidden');
      if (exceeded) return tooMany();
      return handler(c, grant);
    });
    for (const [header, value] of Object.entries(headers)) response.headers.set(header, value);
    return response;
  };
}

async function answer(work: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HTTPException) return error.getResponse();
    throw error;
  }
}

function tooMany(): never {
  return refuse(429, {
    title: 'Too Many Requests',
    detail: 'Too Many Requests',
    type: 'about:blank',
    status: 429,
  });
}

interface Admission {
  grant: Grant | null;
  exceeded: boolean;
  headers: Record<string, string>;
}

function admit(state: XState, c: Context, name: OperationName): Admission {
  const now = state.host.now();
  const grant = bearer(state, c);
  const account = grant?.account.id ?? 'nobody';
  const { limit } = OPERATIONS[name];
  const window = hit(state, `${account} ${name}`, WINDOW_MS);
  const headers = limitHeaders('x-rate-limit', limit, limit - window.count, window.resetAt);
  if (name !== 'create') return { grant, exceeded: window.count > limit, headers };

  const day = hit(state, `${account} day`, DAY_MS);
  const announced = announcedReset(state, account, now);
  const closed = announced !== null;
  return {
    grant,
    exceeded: closed || window.count > limit || day.count > DAILY_USER_LIMIT,
    headers: {
      ...headers,
      ...limitHeaders('x-app-limit-24hour', DAILY_APP_LIMIT, DAILY_APP_LIMIT - day.count, day.resetAt),
      ...limitHeaders(
        'x-user-limit-24hour',
        DAILY_USER_LIMIT,
        closed ? 0 : DAILY_USER_LIMIT - day.count,
        announced ?? day.resetAt,
      ),
    },
  };
}

/** `{reset_seconds}` of the sandbox's control: the user's daily window is used up for so long. */
function announcedReset(state: XState, account: string, now: number): number | null {
  const limit = state.host.limit('x', account);
  if (limit === null) return null;
  const seconds = limit['reset_seconds'];
  return now + (typeof seconds === 'number' ? seconds * 1000 : WINDOW_MS);
}

function hit(state: XState, key: string, length: number): { count: number; resetAt: number } {
  const now = state.host.now();
  const running = state.windows.get(key);
  const window = running && running.resetAt > now ? running : { count: 0, resetAt: now + length };
  const counted = { ...window, count: window.count + 1 };
  state.windows.set(key, counted);
  return counted;
}

function limitHeaders(
  prefix: string,
  limit: number,
  remaining: number,
  resetAt: number,
): Record<string, string> {
  return {
    [`${prefix}-limit`]: String(limit),
    [`${prefix}-remaining`]: String(Math.max(0, remaining)),
    [`${prefix}-reset`]: String(Math.ceil(resetAt / 1000)),
  };
}

function bearer(state: XState, c: Context): Grant | null {
  const token = /^Bearer (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1];
  const grant = state.access.get(token ?? '');
  return grant && grant.expiresAt > state.host.now() ? grant : null;
}
