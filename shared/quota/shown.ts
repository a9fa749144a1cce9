import type { PlatformQuota } from '../platforms/contract/quota.ts';

/** Returns the names of the buckets whose usage a workspace is shown: those with a known limit that an app's accounts share. */
export const shownBuckets = ({ buckets }: PlatformQuota): string[] =>
  Object.entries(buckets).flatMap(([name, { scope, limit }]) =>
    scope === 'app' && limit !== null ? [name] : [],
  );
