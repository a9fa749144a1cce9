import { PLAN_LIMITS, WORKSPACE_RATE_FACTOR } from '../model/plans.ts';
import type { Principal } from '../model/workspace.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { takeTokens } from '../store/rate-limits.ts';
import { MINUTE, SECOND } from '../time/instant.ts';
import { tooManyRequests } from './errors.ts';
import { requestState } from './event.ts';
import type { Middleware } from './middleware.ts';

/** Leased tokens that are not used within this time are lost; milliseconds. */
const LEASE_MS = 30 * SECOND;
/** Largest lease as a fraction of the bucket. */
const MAX_LEASE_FRACTION = 1 / 10;
/** After a failure every request passes for this long, milliseconds. */
const FAIL_OPEN_MS = 5 * SECOND;
/** Most buckets that a container keeps in memory. */
const MAX_BUCKETS = 1000;

/** A bucket as a container last saw it, and the tokens leased from it. Times are epoch milliseconds. */
interface LocalBucket {
  tokens: number;
  leased_until: number;
  /** Size of the last lease. */
  size: number;
  /** When the shared bucket will be full, as last seen. */
  full_at: number;
  /** The shared bucket has no token until then. */
  empty_until: number;
  /** The limiter failed: every request passes until then. */
  failed_until: number;
  /** The lease that is being acquired. */
  leasing: Promise<void> | null;
}

export interface RateLimitDecision {
  allowed: boolean;
  /** Whose bucket the numbers are about. */
  scope: 'key' | 'workspace';
  limit: number;
  remaining: number;
  /** Seconds until the bucket is full. */
  reset_s: number;
  /** Seconds until a token is available; 0 if the request is allowed. */
  retry_after_s: number;
}

/**
 * Returns a function that decides whether a request is within the rate limit of its plan. All containers share the
 * bucket; each leases tokens from it, one at first and more the faster it uses them, so that a busy key costs one write
 * for several requests and an idle container holds back almost nothing.
 */
export function createRateLimiter(services: Services): (principal: Principal) => Promise<RateLimitDecision> {
  const buckets = new Map<string, LocalBucket>();
  return async ({ key_id, workspace_id, plan }) => {
    const limit = PLAN_LIMITS[plan].requests_per_minute;
    const ofKey = await takeToken(services, buckets, key_id, limit);
    if (!ofKey.allowed) return { scope: 'key', ...ofKey };
    const id = workspaceBucketId(workspace_id);
    const ofWorkspace = await takeToken(services, buckets, id, limit * WORKSPACE_RATE_FACTOR);
    return ofWorkspace.allowed ? { scope: 'key', ...ofKey } : { scope: 'workspace', ...ofWorkspace };
  };
}

/** Id of the bucket that all keys of a workspace share. */
const workspaceBucketId = (workspaceId: string) => `workspace:${workspaceId}`;

async function takeToken(
  services: Services,
  buckets: Map<string, LocalBucket>,
  id: string,
  limit: number,
): Promise<Omit<RateLimitDecision, 'scope'>> {
  const bucket = localBucket(buckets, id);
  for (;;) {
    const now = services.now();
    if (spend(bucket, now)) return decision(bucket, limit, now, true);
    if (bucket.empty_until > now) return decision(bucket, limit, now, false);
    bucket.leasing ??= lease(services, bucket, id, limit).finally(() => (bucket.leasing = null));
    await bucket.leasing;
  }
}

/** Enforces the rate limits of key and workspace and reports it in the `RateLimit-*` headers of every response. */
export function rateLimit(services: Services): Middleware {
  const decide = createRateLimiter(services);
  return {
    before: async ({ event }) => {
      const state = requestState(event);
      if (!state.principal) return;
      const { allowed, scope, limit, remaining, reset_s, retry_after_s } = await decide(state.principal);
      Object.assign(state.headers, {
        'ratelimit-limit': String(limit),
        'ratelimit-remaining': String(remaining),
        'ratelimit-reset': String(reset_s),
      });
      if (!allowed)
        throw tooManyRequests(
          `This ${scope === 'key' ? 'API key' : 'workspace'} may send ${limit} requests per minute; retry after ${retry_after_s} s`,
          retry_after_s,
        );
    },
  };
}

function localBucket(buckets: Map<string, LocalBucket>, keyId: string): LocalBucket {
  const known = buckets.get(keyId);
  if (known) return known;
  if (buckets.size >= MAX_BUCKETS) buckets.clear();
  const bucket = {
    tokens: 0,
    leased_until: 0,
    size: 0,
    full_at: 0,
    empty_until: 0,
    failed_until: 0,
    leasing: null,
  };
  buckets.set(keyId, bucket);
  return bucket;
}

function spend(bucket: LocalBucket, now: number): boolean {
  if (bucket.failed_until > now) return true;
  if (bucket.tokens === 0 || bucket.leased_until <= now) return false;
  bucket.tokens -= 1;
  return true;
}

/** Returns the tokens in the shared bucket, as last seen. */
function tokensLeft(bucket: LocalBucket, limit: number, now: number): number {
  const missing = (Math.max(bucket.full_at - now, 0) * limit) / MINUTE;
  return Math.max(0, Math.floor(limit - missing));
}

/** Acquires the next lease, or finds the bucket empty. If the limiter fails, requests pass. */
async function lease(services: Services, bucket: LocalBucket, keyId: string, limit: number): Promise<void> {
  try {
    await tryLease(services, bucket, keyId, limit);
  } catch (error) {
    log.warn('Rate limiter failed; requests pass', describeError(error));
    bucket.failed_until = services.now() + FAIL_OPEN_MS;
  }
}

async function tryLease(
  services: Services,
  bucket: LocalBucket,
  keyId: string,
  limit: number,
): Promise<void> {
  const now = services.now();
  const tokenMs = MINUTE / limit;
  const usedUp = bucket.leased_until > now;
  const wanted = usedUp ? Math.min(bucket.size * 2, Math.max(1, limit * MAX_LEASE_FRACTION)) : 1;
  const size = Math.min(wanted, tokensLeft(bucket, limit, now));
  if (size < 1) {
    bucket.empty_until = bucket.full_at - MINUTE + tokenMs;
    return;
  }
  // Whole milliseconds: of a fraction, JavaScript and DynamoDB keep different digits and would disagree about the bucket.
  const costMs = Math.round(size * tokenMs);
  const { taken, full_at } = await takeTokens(services.table, keyId, costMs, now, bucket.full_at);
  bucket.full_at = full_at;
  if (taken) Object.assign(bucket, { tokens: size, size, leased_until: now + LEASE_MS });
}

function decision(
  bucket: LocalBucket,
  limit: number,
  now: number,
  allowed: boolean,
): Omit<RateLimitDecision, 'scope'> {
  return {
    allowed,
    limit,
    remaining: allowed ? Math.min(limit, bucket.tokens + tokensLeft(bucket, limit, now)) : 0,
    reset_s: Math.ceil(Math.max(bucket.full_at - now, 0) / SECOND),
    retry_after_s: allowed ? 0 : Math.max(1, Math.ceil((bucket.empty_until - now) / SECOND)),
  };
}
