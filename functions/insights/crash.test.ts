import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readDueMetrics } from '../../shared/insights/read-metrics.ts';
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
import { connectionId, deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { Killed, crashPoints, crashingServices, type Crash } from '../../test/support/crashing-services.ts';

/*
 * The insights function crashes before the first and after every single call that it makes to the table and to platforms. The next
 * run carries on: every post is read all the same, and nothing is counted twice.
 */

const PLATFORMS = ['bluesky', 'x'] as const;
const POSTS = 3;
const METRICS: Metrics = { likes: 3, comments: 2, shares: 1, views: null };

let world: DeliveryWorld;
let published: number;
/** The platform's ids of the posts of every read, in order. */
let requested: string[];
/** Failed readings are logged; here they are expected. */
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

const allDue = async () => {
  const shards = Array.from({ length: WAKE_SHARDS }, (_, shard) =>
    listDueReadings(world.table, shard, 9e12, 100),
  );
  return (await Promise.all(shards)).flat();
};

/** Publishes new posts, whose first readings are the only ones due. */
async function publish(): Promise<void> {
  for (const due of await allDue()) await deleteDueReading(world.table, due);
  world.clock.now += DAY;
  published = world.clock.now;
  requested = [];
  for (const due of firstReadings()) await putDueReading(world.table, due);
}

const firstReadings = (): DueReading[] =>
  PLATFORMS.flatMap(platform =>
    Array.from({ length: POSTS }, (_, n) => ({
      workspace_id: 'w1',
      profile_id: 'p1',
      account_id: connectionId(platform),
      target_id: null,
      post_id: `post-${n}`,
      platform,
      platform_post_id: `${platform}-${n}`,
      published_at: published,
      due_at: published + HOUR,
      index: 0,
      failures: 0,
    })),
  );

/** Runs the function `age` after publication, with a crash if given; returns the number of its external calls. */
async function runAt(age: number, crash: Crash | null = null, isDown = false): Promise<number> {
  world.clock.now = published + age;
  const { services, calls, external } = crashingServices(world.services, crash);
  const read = (ids: readonly string[]): Promise<ReadonlyMap<string, Metrics>> => {
    requested.push(...ids);
    if (isDown) throw new PlatformError({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'no' });
    return Promise.resolve(new Map(ids.map(id => [id, METRICS])));
  };
  const reader: InsightsReader = {
    batch: 2,
    ages_ms: [HOUR, DAY, 7 * DAY],
    read: (_, ids) => external(async () => read(ids)),
  };
  const http = null as unknown as HttpClient;
  try {
    await readDueMetrics({ services, readers: { x: reader, bluesky: reader }, http, hasTime: () => true });
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
  return calls();
}

/** The stored readings, and the readings still due. */
async function state(): Promise<{ measured: string[]; left: string[] }> {
  const measured = await Promise.all(
    PLATFORMS.map(platform => listMetricsReadings(world.table, 'w1', 'p1', platform, published)),
  );
  const left = await allDue();
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
const dueAt = (age: number) => posts.map(post => `${post} at ${age / HOUR} h`);
const MEASURED = { measured: posts.map(post => `${post}: 3 2 1`), left: dueAt(DAY) };

describe.each([
  ['answers', false],
  ['is down at first', true],
])('when the platform %s', (_, isDown) => {
  test('completes all readings after a crash at any call', async () => {
    await publish();
    const calls = await runAt(HOUR, null, isDown);
    expect(calls).toBeGreaterThan(20);
    for (const crash of crashPoints(calls)) {
      await publish();
      await runAt(HOUR, crash, isDown);
      // The next runs: a quarter of an hour later, and when failed readings are due again.
      await runAt(1.25 * HOUR);
      await runAt(2.5 * HOUR);
      expect({ crash, ...(await state()) }).toEqual({ crash, ...MEASURED });
      expect(requested.length).toBeLessThanOrEqual(3 * posts.length);

      await runAt(DAY);
      expect({ crash, ...(await state()) }).toEqual({ crash, ...MEASURED, left: dueAt(7 * DAY) });
      requested = [];
      await runAt(7 * DAY);
      expect({ crash, ...(await state()) }).toEqual({ crash, ...MEASURED, left: [] });
      expect(requested).toHaveLength(posts.length);
    }
  });
});
