import { XrpcError } from './xrpc.ts';

export interface Window {
  limit: number;
  seconds: number;
}

/** Fixed rate limit windows, as the reference server has them. */
export function createLimits(now: () => number) {
  const used = new Map<string, { points: number; until: number }>();

  /** Spends points in every window and returns the headers of the first one. Throws 429 if a window is exhausted. */
  function spend(key: string, points: number, windows: readonly Window[]): Record<string, string> {
    const [first = {}] = windows.map(window => spendIn(`${key} ${window.seconds}`, points, window));
    return first;
  }

  function spendIn(key: string, points: number, { limit, seconds }: Window): Record<string, string> {
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
