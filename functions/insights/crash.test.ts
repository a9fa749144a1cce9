import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readDueMetrics } from '../../shared/insights/read-metrics.ts';
import type { FirstReadings, Metrics } from '../../shared/model/insight.ts';
import type { Post } from '../../shared/model/post.ts';
import type { HttpClient } from '../../shared/net/http.ts';
import { PlatformError } from '../../shared/platforms/contract/error.ts';
import type { InsightsReader } from '../../shared/platforms/contract/insights.ts';
import { log } from '../../shared/runtime/log.ts';
import {
  deleteDue,
  deleteMetricsReadings,
  listDue,
  listMetricsReadings,
  putDue,
} from '../../shared/store/insights.ts';
import { WAKE_SHARDS } from '../../shared/store/table.ts';
import { DAY, HOUR } from '../../shared/time/instant.ts';
import { deliveryWorld, publishMessage, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { Killed, crashPoints, crashingServices, type Crash } from '../../test/support/crashing-services.ts';

/*
 * The insights function crashes before the first and after every single call that it makes to the table and to platforms. The next
 * run carries on: every post is read all the same, and nothing is counted twice.
 */

const PLATFORMS = ['bluesky', 'x'] as const;
const POSTS = 3;
const METRICS: Metrics = { likes: 3, comments: 2, shares: 1, views: null };

let world: DeliveryWorld;
/** The posts, and when they went live. */
let live: Post[];
let published: number;
/** The platform's ids of the posts of every read, in order. */
let requested: string[];
/** Failed readings are logged; here they are expected. */
const level = log.getLevelName();
beforeAll(async () => {
  log.setLogLevel('SILENT');
  world = await deliveryWorld();
  for (const platform of PLATFORMS) await world.connect(platform);
  live = [];
  for (let n = 0; n < POSTS; n += 1) {
    const post = await world.store({}, PLATFORMS);
    for (const platform of PLATFORMS) await world.handle(publishMessage(post, platform));
    live.push(post);
  }
  published = world.clock.now;
});
afterAll(() => {
  log.setLogLevel(level);
  return world.close();
});

const allDue = async () => {
  const shards = Array.from({ length: WAKE_SHARDS }, (_, shard) => listDue(world.table, shard, 9e12, 100));
  return (await Promise.all(shards)).flat();
};

/** Takes the posts back to where they have just been published. */
async function reset(): Promise<void> {
  for (const due of await allDue()) await deleteDue(world.table, due);
  await deleteMetricsReadings(world.table, 'w1', 'p1');
  requested = [];
  for (const post of live) await putDue(world.table, firstReadingsOf(post));
}

const firstReadingsOf = ({ workspace_id, profile_id, post_id }: Post): FirstReadings => ({
  workspace_id,
  profile_id,
  post_id,
  platforms: [...PLATFORMS],
  due_at: published + HOUR,
});

/** Runs the function `age` after publication, with a crash if given; returns the number of its external calls. */
async function runAt(
  age: number,
  crash: Crash | null = null,
  isDown = false,
  hasTime = () => true,
): Promise<number> {
  world.clock.now = published + age;
  const { services, calls, external } = crashingServices(world.services, crash);
  const read = (ids: readonly string[]): Promise<ReadonlyMap<string, Metrics>> => {
    requested.push(...ids);
    if (isDown) throw new PlatformError({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'no' });
    return Promise.resolve(new Map(ids.map(id => [id, METRICS])));
  };
  const reader: InsightsReader = {
    batch: 2,
    read: (_, ids) => external(async () => read(ids)),
  };
  const load = () => Promise.resolve(reader);
  const http = null as unknown as HttpClient;
  try {
    await readDueMetrics({ services, readers: { x: load, bluesky: load }, http, hasTime });
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
      .map(each => `${each.platform} ${numberOf(each)}: ${each.likes} ${each.comments} ${each.shares}`)
      .sort(),
    left: left
      .map(
        each =>
          `${'platform' in each ? each.platform : 'first of'} ${numberOf(each)} at ${(each.due_at - published) / HOUR} h`,
      )
      .sort(),
  };
}

const numberOf = ({ post_id }: Pick<Post, 'post_id'>) =>
  `post-${live.findIndex(post => post.post_id === post_id)}`;
const posts = PLATFORMS.flatMap(platform => Array.from({ length: POSTS }, (_, n) => `${platform} post-${n}`));
const dueAt = (age: number) => posts.map(post => `${post} at ${age / HOUR} h`);
const MEASURED = { measured: posts.map(post => `${post}: 3 2 1`), left: dueAt(DAY) };

describe.each([
  ['answers', false],
  ['is down at first', true],
])('when the platform %s', (_, isDown) => {
  test('completes all readings after a crash at any call', async () => {
    await reset();
    const calls = await runAt(HOUR, null, isDown);
    expect(calls).toBeGreaterThan(20);
    for (const crash of crashPoints(calls)) {
      await reset();
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

test('the next run goes on where the time of one is over, and reads nothing twice', async () => {
  for (let steps = 0; steps < 12; steps += 1) {
    await reset();
    let left = steps;
    await runAt(HOUR, null, false, () => left-- > 0);
    await runAt(1.25 * HOUR);
    expect({ steps, ...(await state()) }).toEqual({ steps, ...MEASURED });
    expect({ steps, requested: requested.length }).toEqual({ steps, requested: posts.length });
  }
});
