import { XrpcError } from './xrpc.ts';

export interface Window {
  limit: number;
  seconds: number;
}

/** Fixed windows as the reference server counts them; each answer tells how much is left. */
export function createLimits(now: () => number) {
  const used = new Map<string, { points: number; until: number }>();

  /** Counts and gives the headers. Throws 429 when the window is full. */
  function spend(key: string, points: number, { limit, seconds }: Window): Record<string, string> {
    const known = used.get(key);
    const window = known && known.until > now() ? known : { points: 0, until: now() + seconds * 1000 };
    used.set(key, window);
    const isOver = window.points + points > limit;
    if (!isOver) window.points += points;
    const headers = rateHeaders(limit, limit - window.points, window.until, seconds);
    if (isOver) throw limited(headers, Math.ceil((window.until - now()) / 1000));
    return headers;
  }

  return { spend, reset: () => used.clear() };
}

export function rateHeaders(limit: number, remaining: number, until: number, seconds: number) {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(Math.ceil(until / 1000)),
    'ratelimit-policy': `${limit};w=${seconds}`,
  };
}

export function limited(headers: Record<string, string>, retryAfterS: number): XrpcError {
  return new XrpcError(429, 'RateLimitExceeded', 'Rate Limit Exceeded', {
    ...headers,
    'retry-after': String(retryAfterS),
  });
}
