import type { Quota } from '../../shared/platforms/contract/quota.ts';

/** Creates a quota without limits that records what was spent as `bucket units`. */
export function unlimitedQuota(): Quota & { spent: string[] } {
  const spent: string[] = [];
  return {
    spent,
    spend: (bucket, units) => Promise.resolve(void spent.push(`${bucket} ${units}`)),
    reserve: () => Promise.resolve(),
    release: () => Promise.resolve(),
    exhausted: () => Promise.resolve(),
    requireOpen: () => Promise.resolve(),
    usage: () => Promise.resolve({ limit: Infinity, used: 0, resets_at: 0 }),
  };
}
