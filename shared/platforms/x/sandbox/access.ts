import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { forbidden, problem, refuse, unauthorized } from './responses.ts';
import type { Grant, XState } from './state.ts';

const MINUTE = 60_000;
const WINDOW_MS = 15 * MINUTE;
const DAY_MS = 24 * 60 * MINUTE;
const DAILY_USER_LIMIT = 2400;
const DAILY_APP_LIMIT = 10_000;

interface Operation {
  scopes: readonly string[];
  /** Requests per user in 15 minutes. */
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

/** Wraps a handler with checks of token, scopes and rate limits; every response carries the rate limit headers. */
export function guarded(state: XState, name: OperationName, handler: Handler) {
  return async (c: Context): Promise<Response> => {
    const { headers, refusal, grant } = checkLimits(state, c, name);
    const response = await respond(() => {
      if (!grant) return unauthorized();
      if (grant.account.suspended) return userSuspended(grant);
      if (OPERATIONS[name].scopes.some(scope => !grant.scopes.includes(scope))) return forbidden('Forbidden');
      refusal?.();
      return handler(c, grant);
    });
    for (const [header, value] of Object.entries(headers)) response.headers.set(header, value);
    return response;
  };
}

async function respond(work: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HTTPException) return error.getResponse();
    throw error;
  }
}

const tooManyRequests = (): never => problem(429, 'Too Many Requests', 'Too Many Requests');

function userSuspended({ account }: Grant): never {
  return refuse(403, {
    title: 'Forbidden',
    detail: `The user [${account.id}] is suspended.`,
    type: 'https://api.x.com/2/problems/user-suspended',
    status: 403,
  });
}

/** Refusals that `POST /_control/limits {code}` sets for an account: its own limits and app-wide ones. */
const ANNOUNCED: Readonly<Record<string, () => never>> = {
  185: () => forbidden('User is over daily status update limit.'),
  226: () =>
    refuse(403, {
      errors: [
        {
          code: 226,
          message:
            "This request looks like it might be automated. To protect our users from spam and other malicious activity, we can't complete this action right now.",
        },
      ],
    }),
  344: () =>
    refuse(403, {
      errors: [
        {
          code: 344,
          message:
            'You have reached your daily limit for sending Tweets and messages. Please try again later.',
        },
      ],
    }),
  credits: () =>
    refuse(402, {
      title: 'CreditsDepleted',
      detail:
        'Your enrolled account [1234567890123456789] does not have any credits to fulfill this request.',
      type: 'https://api.twitter.com/2/problems/credits',
    }),
  'usage-capped': () => usageCapped('Monthly'),
  'usage-capped-daily': () => usageCapped('Daily'),
};

function usageCapped(period: 'Daily' | 'Monthly'): never {
  return refuse(429, {
    title: 'UsageCapExceeded',
    detail: `Usage cap exceeded: ${period} product cap`,
    type: 'https://api.twitter.com/2/problems/usage-capped',
    period,
    scope: 'Product',
    account_id: '1234567890123456789',
    product_name: 'pay-per-use',
  });
}

interface Limits {
  grant: Grant | null;
  /** Ends the request if a limit is exceeded. */
  refusal: (() => never) | null;
  headers: Record<string, string>;
}

function checkLimits(state: XState, c: Context, name: OperationName): Limits {
  const now = state.host.now();
  const grant = bearer(state, c);
  const account = grant?.account.id ?? 'nobody';
  const { limit } = OPERATIONS[name];
  const window = hit(state, `${account} ${name}`, WINDOW_MS);
  const headers = limitHeaders('x-rate-limit', limit, limit - window.count, window.resetAt);
  const isOverWindow = window.count > limit;
  if (name !== 'create') return { grant, refusal: isOverWindow ? tooManyRequests : null, headers };

  const day = hit(state, `${account} day`, DAY_MS);
  const announced = announcedLimit(state, account, now);
  const isOver = isOverWindow || day.count > DAILY_USER_LIMIT;
  return {
    grant,
    refusal: announced?.refusal ?? (isOver ? tooManyRequests : null),
    headers: {
      ...headers,
      ...limitHeaders('x-app-limit-24hour', DAILY_APP_LIMIT, DAILY_APP_LIMIT - day.count, day.resetAt),
      ...limitHeaders('x-user-limit-24hour', DAILY_USER_LIMIT, DAILY_USER_LIMIT - day.count, day.resetAt),
      ...announced?.headers,
    },
  };
}

/** The windows that `POST /_control/limits` can use up, by name, with their sizes. */
const WINDOWS: Readonly<Record<string, readonly [header: string, limit: number]>> = {
  window: ['x-rate-limit', OPERATIONS.create.limit],
  app_day: ['x-app-limit-24hour', DAILY_APP_LIMIT],
  user_day: ['x-user-limit-24hour', DAILY_USER_LIMIT],
};

/**
 * A limit set by `POST /_control/limits`: `{code}` for one of the refusals above, else `{reset_seconds, window}` for a
 * window that is used up, by default the user's 24 hours.
 */
function announcedLimit(
  state: XState,
  account: string,
  now: number,
): { refusal: () => never; headers: Record<string, string> } | null {
  const limit = state.host.limit('x', account);
  if (limit === null) return null;
  const { code, reset_seconds: seconds, window } = limit;
  const refusal = ANNOUNCED[typeof code === 'number' || typeof code === 'string' ? code : ''];
  if (refusal) return { refusal, headers: {} };
  const [header, size] = WINDOWS[typeof window === 'string' ? window : 'user_day'] ?? WINDOWS['user_day']!;
  const resetAt = now + (typeof seconds === 'number' ? seconds * 1000 : WINDOW_MS);
  return { refusal: tooManyRequests, headers: limitHeaders(header, size, 0, resetAt) };
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
  const stored = state.access.get(token ?? '');
  const account = stored && state.accounts.get(stored.account_id);
  if (!account || (stored.expires_at ?? 0) <= state.host.now()) return null;
  return { account, scopes: stored.scopes };
}
