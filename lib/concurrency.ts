import { LIVE_PLATFORM } from '../shared/broadcasts/account.ts';
import type { PlatformId } from '../shared/model/platform.ts';
import { BASICS } from '../shared/platforms/registry/basics.ts';

/** Share of the account's concurrency that the consumers of queues may use; the rest is for the API and background work. */
const CONSUMERS_SHARE = 0.8;
/** Lambda accepts no smaller maximum for an event source mapping. */
export const LEAST = 2;
/** What the consumers of the queues that all platforms share use at most. */
const SHARED = { dispatch: 50, events: 100 };
const BROADCASTS = { broadcasts: 10 };

/** The queue of broadcasts is polled once there is one, so never without their platform. */
const sharedBy = (platforms: readonly PlatformId[]) =>
  platforms.includes(LIVE_PLATFORM) ? { ...SHARED, ...BROADCASTS } : SHARED;

/**
 * Returns the maximum concurrency of the consumer of each queue that is polled: `dispatch`, `events`, `broadcasts`, and each
 * platform. Together they use at most their share of `quota`, the concurrent invocations of the account, unless it is too
 * small for the least of each.
 */
export function concurrencyCaps(platforms: readonly PlatformId[], quota: number): Map<string, number> {
  const wanted = new Map<string, number>([
    ...Object.entries(sharedBy(platforms)),
    ...platforms.map((platform): [string, number] => [platform, BASICS[platform].worker.max_concurrency]),
  ]);
  const least = LEAST * wanted.size;
  const available = Math.max(0, Math.floor(quota * CONSUMERS_SHARE) - least);
  const share = Math.min(1, available / (sumOf(wanted) - least));
  return new Map([...wanted].map(([name, most]) => [name, LEAST + Math.floor((most - LEAST) * share)]));
}

/** Returns the platforms that fit into a quota, or null where those of the deployment do. */
export function fittingPlatforms(platforms: readonly PlatformId[], quota: number): number | null {
  const fitting = Math.floor((quota * CONSUMERS_SHARE) / LEAST) - Object.keys(sharedBy(platforms)).length;
  return platforms.length <= fitting ? null : Math.max(0, fitting);
}

export function capOf(caps: ReadonlyMap<string, number>, name: string): number {
  const cap = caps.get(name);
  if (cap === undefined) throw new Error(`No maximum concurrency is set for ${name}`);
  return cap;
}

const sumOf = (caps: ReadonlyMap<string, number>) => [...caps.values()].reduce((sum, cap) => sum + cap, 0);
