/** When a bucket is full again: at midnight in a time zone, or with the clock's next hour or minute. */
export type QuotaPeriod = { every: 'day'; zone: string } | { every: 'hour' | 'minute' };

/** One of a platform's quotas. */
export interface QuotaBucket {
  /** Units in one period; null where only the platform counts them: it is open until the platform says otherwise. */
  limit: number | null;
  period: QuotaPeriod;
  /** Whether all accounts of one platform app share the bucket, or each account has its own. */
  scope: 'app' | 'account';
}

/** A platform's quotas as data: `quota.ts` of its folder exports one as `quota`. */
export interface PlatformQuota {
  buckets: Readonly<Record<string, QuotaBucket>>;
  /** Units by operation, for documents and callers. */
  costs: Readonly<Record<string, number>>;
}

/** Usage of a bucket in its current period. */
export interface QuotaUsage {
  limit: number;
  /** Units spent or reserved; the whole limit once the platform said that it is exhausted. */
  used: number;
  /** Epoch milliseconds. */
  resets_at: number;
}

/**
 * The quotas that a platform's code works under, in the contexts of steps, follow-ups and lookups. The counts are
 * shared by all functions and exact under concurrency.
 */
export interface Quota {
  /**
   * Counts units just before the request that costs them. Units that were reserved under `reservation` are used
   * first. Throws PlatformError `rate_limited` with the code QUOTA_EXHAUSTED and the time until the reset when fewer are left;
   * nothing is counted then.
   */
  spend: (bucket: string, units: number, reservation?: string) => Promise<void>;
  /**
   * Sets units aside under an id (a post's), so that what follows a request is not starved by others. Repeating it with
   * the same id reserves nothing more. A reservation ends with `release`, with the period, or an hour after it was made.
   * Throws like `spend`.
   */
  reserve: (bucket: string, units: number, reservation: string) => Promise<void>;
  /** Gives back what is left of a reservation. Safe to repeat. */
  release: (bucket: string, reservation: string) => Promise<void>;
  /**
   * Corrects the count: the platform answered that the bucket is exhausted. Nothing more is spent until then (epoch
   * milliseconds; default: the bucket's reset).
   */
  exhausted: (bucket: string, until?: number) => Promise<void>;
  /**
   * Throws PlatformError `rate_limited` with the code QUOTA_EXHAUSTED while the platform's answer, passed to `exhausted`,
   * holds. Counts nothing.
   */
  requireOpen: (bucket: string) => Promise<void>;
  /** Returns the usage of the current period. */
  usage: (bucket: string) => Promise<QuotaUsage>;
}
