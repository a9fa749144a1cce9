import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { gatherInsights } from '../../shared/insights/gather.ts';
import type { DueReading, Metrics } from '../../shared/model/insight.ts';
import type { HttpClient } from '../../shared/net/http.ts';
import { PlatformError } from '../../shared/platforms/contract/error.ts';
import type { InsightsReader } from '../../shared/platforms/contract/insights.ts';
import { log } from '../../shared/runtime/log.ts';
import {
  deleteDueReading,
  listDueReadings,
  listMetricsReadings,
  putDueReading,
} from '../../shared/store/insights.ts';
import { WAKE_SHARDS } from '../../shared/store/table.ts';
import { DAY, HOUR } from '../../shared/time/instant.ts';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { Killed, mortal, type Death } from '../../test/support/crashing-services.ts';

/*
 * The function that measures live posts is killed before and after every single call that it makes, to the table and to
 * platforms. The next run goes on: every post is measured once all the same, and nothing is counted twice.
 */

const PLATFORMS = ['bluesky', 'x'] as const;
const POSTS = 3;
const METRICS: Metrics = { likes: 3, comments: 2, shares: 1, views: null };

let world: DeliveryWorld;
let published: number;
/** The platform's ids of the posts that were asked for, each time. */
let asked: string[];
/** Each run that is refused says so: here that is no news. */
const level = log.getLevelName();
beforeAll(async () => {
  log.setLogLevel('SILENT');
  world = await deliveryWorld();
  for (const platform of PLATFORMS) await world.connect(platform);
});
afterAll(() => {
  log.setLogLevel(level);
  return world.close();
});

const allLooks = async () => {
  const shards = Array.from({ length: WAKE_SHARDS }, (_, shard) =>
    listDueReadings(world.table, shard, 9e12, 100),
  );
  return (await Promise.all(shards)).flat();
};

/** New posts went live, and nothing but their first looks is noted. */
async function publish(): Promise<void> {
  for (const look of await allLooks()) await deleteDueReading(world.table, look);
  world.clock.now += DAY;
  published = world.clock.now;
  asked = [];
  for (const look of newLooks()) await putDueReading(world.table, look);
}

const newLooks = (): DueReading[] =>
  PLATFORMS.flatMap(platform =>
    Array.from({ length: POSTS }, (_, n) => ({
      workspace_id: 'w1',
      profile_id: 'p1',
      account_id: `c-${platform}`,
      post_id: `post-${n}`,
      platform,
      platform_post_id: `${platform}-${n}`,
      published_at: published,
      due_at: published + HOUR,
      look: 0,
      faults: 0,
    })),
  );

/** A run, at this time after the posts went live, that dies as told; gives the number of its calls to the outside. */
async function runAt(age: number, death: Death | null = null, refuses = false): Promise<number> {
  world.clock.now = published + age;
  const { services, calls, outside } = mortal(world.services, death);
  const read = (ids: readonly string[]): Promise<ReadonlyMap<string, Metrics>> => {
    asked.push(...ids);
    if (refuses) throw new PlatformError({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'no' });
    return Promise.resolve(new Map(ids.map(id => [id, METRICS])));
  };
  const reader: InsightsReader = { batch: 2, read: (_, ids) => outside(async () => read(ids)) };
  const http = null as unknown as HttpClient;
  try {
    await gatherInsights({ services, readers: { x: reader, bluesky: reader }, http, hasTime: () => true });
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
  return calls();
}

/** What is known of the posts, and which looks are still to be had. */
async function state(): Promise<{ measured: string[]; left: string[] }> {
  const measured = await Promise.all(
    PLATFORMS.map(platform => listMetricsReadings(world.table, 'w1', 'p1', platform, published)),
  );
  const left = await allLooks();
  return {
    measured: measured
      .flat()
      .map(each => `${each.platform} ${each.post_id}: ${each.likes} ${each.comments} ${each.shares}`)
      .sort(),
    left: left
      .map(each => `${each.platform} ${each.post_id} at ${(each.due_at - published) / HOUR} h`)
      .sort(),
  };
}

const posts = PLATFORMS.flatMap(platform => Array.from({ length: POSTS }, (_, n) => `${platform} post-${n}`));
const looksAt = (age: number) => posts.map(post => `${post} at ${age / HOUR} h`);
const MEASURED = { measured: posts.map(post => `${post}: 3 2 1`), left: looksAt(DAY) };

describe.each([
  ['answers', false],
  ['refuses at first', true],
])('where the platform %s', (_, refuses) => {
  test.each(['before', 'after'] as const)('a run killed %s any call is made good', async when => {
    await publish();
    const calls = await runAt(HOUR, null, refuses);
    expect(calls).toBeGreaterThan(20);
    for (let at = 1; at <= calls; at += 1) {
      await publish();
      await runAt(HOUR, { at, when }, refuses);
      // The next runs: a quarter of an hour later, and when what was put off is due.
      await runAt(1.25 * HOUR);
      await runAt(2.5 * HOUR);
      expect({ at, ...(await state()) }).toEqual({ at, ...MEASURED });
      expect(asked.length).toBeLessThanOrEqual(3 * posts.length);

      await runAt(DAY);
      expect({ at, ...(await state()) }).toEqual({ at, ...MEASURED, left: looksAt(7 * DAY) });
      asked = [];
      await runAt(7 * DAY);
      expect({ at, ...(await state()) }).toEqual({ at, ...MEASURED, left: [] });
      expect(asked).toHaveLength(posts.length);
    }
  });
});
