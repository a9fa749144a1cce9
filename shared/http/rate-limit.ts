import { PLAN_LIMITS } from '../model/plans.ts';
import type { Principal } from '../model/workspace.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { takeTokens } from '../store/rate-limits.ts';
import { MINUTE, SECOND } from '../time/instant.ts';
import { tooManyRequests } from './errors.ts';
import { servedOf } from './event.ts';
import type { Middleware } from './middleware.ts';

/** A lease that is not used up by then is lost; milliseconds. */
const LEASE_MS = 30 * SECOND;
/** The largest lease, as a part of the bucket. */
const LARGEST_LEASE = 1 / 10;
/** A limiter that failed is left alone for so long, milliseconds. */
const PAUSE_MS = 5 * SECOND;
/** Most keys that a container remembers. */
const MAX_KEYS = 1000;

/** What a container knows of a key's bucket, and the tokens that it leased from it. Times are epoch milliseconds. */
interface Account {
  tokens: number;
  leased_until: number;
  /** Size of the last lease. */
  size: number;
  /** When the shared bucket is full again, as last seen. */
  full_at: number;
  /** The bucket is empty until then. */
  empty_until: number;
  /** The limiter does not work: everything passes until then. */
  failed_until: number;
  /** A lease that is being taken. */
  leasing: Promise<void> | null;
}

export interface Verdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the bucket is full. */
  reset_s: number;
  /** Seconds until a token is there; 0 where the request is allowed. */
  retry_after_s: number;
}

/**
 * Decides whether requests of a key are within its plan's rate. The bucket is shared by all containers; each leases
 * tokens from it, one at first and more the faster it uses them, so that a busy key costs a write per several requests
 * and an idle container holds back next to nothing.
 */
export function createRateLimiter(services: Services): (principal: Principal) => Promise<Verdict> {
  const accounts = new Map<string, Account>();
  return async ({ key_id, plan }) => {
    const limit = PLAN_LIMITS[plan].requests_per_minute;
    const account = accountOf(accounts, key_id);
    for (;;) {
      const now = services.now();
      if (spend(account, now)) return verdict(account, limit, now, true);
      if (account.empty_until > now) return verdict(account, limit, now, false);
      account.leasing ??= lease(services, account, key_id, limit).finally(() => (account.leasing = null));
      await account.leasing;
    }
  };
}

/** Keeps the rate of each key, and tells on every answer how much of it is left. */
export function rateLimit(services: Services): Middleware {
  const limiter = createRateLimiter(services);
  return {
    before: async ({ event }) => {
      const served = servedOf(event);
      if (!served.principal) return;
      const { allowed, limit, remaining, reset_s, retry_after_s } = await limiter(served.principal);
      Object.assign(served.headers, {
        'ratelimit-limit': String(limit),
        'ratelimit-remaining': String(remaining),
        'ratelimit-reset': String(reset_s),
      });
      if (!allowed) throw tooManyRequests(`This key may make ${limit} requests a minute`, retry_after_s);
    },
  };
}

function accountOf(accounts: Map<string, Account>, keyId: string): Account {
  const known = accounts.get(keyId);
  if (known) return known;
  if (accounts.size >= MAX_KEYS) accounts.clear();
  const account = {
    tokens: 0,
    leased_until: 0,
    size: 0,
    full_at: 0,
    empty_until: 0,
    failed_until: 0,
    leasing: null,
  };
  accounts.set(keyId, account);
  return account;
}

function spend(account: Account, now: number): boolean {
  if (account.failed_until > now) return true;
  if (account.tokens === 0 || account.leased_until <= now) return false;
  account.tokens -= 1;
  return true;
}

/** Tokens in the shared bucket, as last seen. */
function tokensLeft(account: Account, limit: number, now: number): number {
  const missing = (Math.max(account.full_at - now, 0) * limit) / MINUTE;
  return Math.max(0, Math.floor(limit - missing));
}

/** Takes the next lease, or finds the bucket empty. A limiter that fails lets requests pass. */
async function lease(services: Services, account: Account, keyId: string, limit: number): Promise<void> {
  try {
    await tryLease(services, account, keyId, limit);
  } catch (error) {
    log.warn('The rate limiter failed; requests pass', describeError(error));
    account.failed_until = services.now() + PAUSE_MS;
  }
}

async function tryLease(services: Services, account: Account, keyId: string, limit: number): Promise<void> {
  const now = services.now();
  const tokenMs = MINUTE / limit;
  const usedUp = account.leased_until > now;
  const wanted = usedUp ? Math.min(account.size * 2, Math.max(1, limit * LARGEST_LEASE)) : 1;
  const size = Math.min(wanted, tokensLeft(account, limit, now));
  if (size < 1) {
    account.empty_until = account.full_at - MINUTE + tokenMs;
    return;
  }
  const { taken, full_at } = await takeTokens(services.table, keyId, size * tokenMs, now, account.full_at);
  account.full_at = full_at;
  if (taken) Object.assign(account, { tokens: size, size, leased_until: now + LEASE_MS });
}

function verdict(account: Account, limit: number, now: number, allowed: boolean): Verdict {
  return {
    allowed,
    limit,
    remaining: allowed ? Math.min(limit, account.tokens + tokensLeft(account, limit, now)) : 0,
    reset_s: Math.ceil(Math.max(account.full_at - now, 0) / SECOND),
    retry_after_s: allowed ? 0 : Math.max(1, Math.ceil((account.empty_until - now) / SECOND)),
  };
}
