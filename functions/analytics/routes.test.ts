import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readDueMetrics } from '../../shared/insights/read-metrics.ts';
import type { Metrics } from '../../shared/model/insight.ts';
import { newId } from '../../shared/model/id.ts';
import type { Post } from '../../shared/model/post.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import type { HttpClient } from '../../shared/net/http.ts';
import { PlatformError, type PlatformErrorInit } from '../../shared/platforms/contract/error.ts';
import type { InsightsReader } from '../../shared/platforms/contract/insights.ts';
import { deleteProfileContent } from '../../shared/profiles/delete-content.ts';
import { listDue, putMetricsReading } from '../../shared/store/insights.ts';
import { DAY, HOUR, MINUTE, toIso } from '../../shared/time/instant.ts';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { addProfile, call } from '../../test/support/posts.ts';
import { createPost } from '../posts/create.ts';
import { bestTimes } from './best-times.ts';
import { postAnalytics } from './post-analytics.ts';

let world: DeliveryWorld;
/** The platform's metrics by post id, and the errors of its next calls. */
let counts: Map<string, Metrics>;
let calls: (readonly string[])[];
let errors: PlatformErrorInit[];

beforeAll(async () => {
  world = await deliveryWorld();
  for (const platform of ['x', 'bluesky', 'telegram'] as const) await world.connect(platform);
  await addProfile(world);
});
afterAll(() => world.close());
beforeEach(() => {
  world.clock.now += 200 * DAY;
  counts = new Map();
  calls = [];
  errors = [];
});

const reader: InsightsReader = {
  batch: 3,
  read: (_, ids) => {
    calls.push(ids);
    const error = errors.shift();
    if (error) return Promise.reject(new PlatformError(error));
    return Promise.resolve(new Map([...counts].filter(([id]) => ids.includes(id))));
  },
};
const load = () => Promise.resolve(reader);
const readMetrics = () =>
  readDueMetrics({
    services: world.services,
    readers: { x: load, bluesky: load },
    http: null as unknown as HttpClient,
    hasTime: () => true,
  });

const METRICS: Metrics = { likes: 3, comments: 2, shares: 1, views: null };

/** A post that was published to the connected accounts. */
async function published(platforms: readonly PlatformId[] = ['x']): Promise<Post> {
  const { body } = await call(world, createPost, {
    body: {
      profile_name: 'Acme',
      post_type: 'text',
      platforms,
      description: `Measured ${newId()}`,
    },
  });
  const post = await world.read({ workspace_id: 'w1', post_id: body['post_id'] } as Post);
  await world.runUntilSettled(post);
  counts.set(post.post_id, METRICS);
  return post;
}

const analytics = async ({ post_id }: Post) =>
  (await call(world, postAnalytics, { params: { id: post_id } })).body['destinations'] as Record<
    string,
    unknown
  >[];
const best = (query: Record<string, string> = {}) =>
  call(world, bestTimes, { query: { profile_name: 'Acme', ...query } });
const dueLeft = async () => {
  const shards = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(n => listDue(world.table, n, 9e12, 100)));
  return shards.flat();
};

/** The id of a post at the fake platform. */
const idOf = (post: Post, platform = 'x') => `${post.post_id}:${platform}`;
const setMetrics = (post: Post, metrics: Metrics) => {
  counts.clear();
  for (const platform of ['x', 'bluesky']) counts.set(idOf(post, platform), metrics);
};

describe('GET /posts/{id}/analytics', () => {
  test('shows the latest reading, made after an hour, a day and a week', async () => {
    const post = await published(['x', 'telegram']);
    const shown = async () => (await analytics(post)).map(({ metrics }) => metrics);
    expect(await analytics(post)).toMatchObject([
      { platform: 'x', available: true, metrics: null, measured_at: null },
      { platform: 'telegram', available: false, metrics: null, measured_at: null },
    ]);
    const from = world.clock.now;
    for (const [n, age] of [HOUR, DAY, 7 * DAY].entries()) {
      setMetrics(post, { ...METRICS, likes: n });
      world.clock.now = from + age - MINUTE;
      expect(await readMetrics()).toBe(0);
      world.clock.now = from + age;
      expect(await readMetrics()).toBe(1);
      expect(await shown()).toEqual([{ ...METRICS, likes: n }, null]);
      expect((await analytics(post))[0]!['measured_at']).toBe(toIso(world.clock.now));
    }
    expect(await dueLeft()).toEqual([]);
  });

  test('reads the posts of an account in batches as large as the platform allows', async () => {
    const posts = [await published(), await published(), await published(), await published()];
    const other = await published(['bluesky']);
    world.clock.now += HOUR;
    await readMetrics();
    expect(calls.map(ids => ids.length).sort()).toEqual([1, 1, 3]);
    expect(new Set(calls.flat())).toEqual(
      new Set([...posts.map(post => idOf(post)), idOf(other, 'bluesky')]),
    );
  });

  test('retries a failed reading, not before Retry-After has passed', async () => {
    const post = await published();
    setMetrics(post, METRICS);
    world.clock.now += HOUR;
    errors = [
      { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', message: 'later', retryAfterMs: 3 * HOUR },
    ];
    await readMetrics();
    world.clock.now += 3 * HOUR - MINUTE;
    await readMetrics();
    expect([calls.length, (await analytics(post))[0]!['metrics']]).toEqual([1, null]);
    world.clock.now += MINUTE;
    await readMetrics();
    expect((await analytics(post))[0]!['metrics']).toEqual(METRICS);
  });

  test('gives up after six retries', async () => {
    await published();
    const failure = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'no' } as const;
    for (let n = 0; n < 12; n += 1) {
      errors = [failure];
      world.clock.now += 7 * DAY;
      await readMetrics();
    }
    expect([calls.length, await dueLeft()]).toEqual([7, []]);
  });

  test('does not read a post again that was deleted at the platform', async () => {
    await published();
    counts.clear();
    world.clock.now += HOUR;
    await readMetrics();
    expect([calls.length, await dueLeft()]).toEqual([1, []]);
  });

  test('reads a post once when two readings are overdue', async () => {
    const post = await published();
    setMetrics(post, METRICS);
    world.clock.now += 2 * DAY;
    await readMetrics();
    const { published_at } = (await world.read(post)).destinations.x as { published_at: number };
    expect(await dueLeft()).toMatchObject([{ index: 2, due_at: published_at + 7 * DAY }]);
    world.clock.now += 9 * DAY;
    await readMetrics();
  });

  test('does not read posts of a disconnected account', async () => {
    const post = await world.store({}, ['x']);
    await world.schedule(post);
    await world.runUntilSettled(post);
    await world.connect('x', { id: 'c-other', platform_user_id: 'u2' });
    world.clock.now += HOUR;
    await readMetrics();
    expect([calls, await dueLeft()]).toEqual([[], []]);
  });

  test('answers 404 for a post of another workspace', async () => {
    const post = await published();
    const principal = { workspace_id: 'w2', user_id: 'u', key_id: 'k', role: 'owner', plan: 'pro' } as const;
    const asked = { params: { id: post.post_id }, principal };
    expect((await call(world, postAnalytics, asked)).status).toBe(404);
    expect((await call(world, postAnalytics, { params: { id: newId() } })).status).toBe(404);
  });
});

/** Stores readings of posts that were published `daysAgo` at an hour (UTC). 2026-12-01 is a Tuesday. */
async function measuredPosts(count: number, daysAgo: number, hour: number, likes: number): Promise<number> {
  const midnight = Math.floor(world.clock.now / DAY) * DAY;
  const published_at = midnight - daysAgo * DAY + hour * HOUR;
  for (let n = 0; n < count; n += 1) {
    const reading = { ...METRICS, post_id: newId(), platform: 'x' as const, measured_at: 1 };
    await putMetricsReading(world.table, 'w1', 'p1', {
      ...reading,
      published_at: published_at + n,
      likes,
    });
  }
  return published_at;
}

describe('GET /analytics/best-times', () => {
  test('shows the default grid with a warning while fewer than ten posts are measured', async () => {
    await measuredPosts(9, 7, 3, 100);
    const { status, body } = await best({ platforms: 'x' });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        profile_name: 'Acme',
        platforms: ['x'],
        timezone: 'UTC',
        window_days: 90,
        measured_posts: 9,
        is_default: true,
        best: ['tue', 'wed', 'thu'].map(weekday => ({ weekday, hour: 10 })),
        warnings: [{ code: 'DEFAULT_GRID' }],
      },
    });
    expect(body['grid']).toHaveLength(168);
  });

  test('shows the best hours when ten posts of 90 days have metrics', async () => {
    await measuredPosts(7, 7, 3, 100);
    await measuredPosts(3, 8, 15, 500);
    await measuredPosts(3, 91, 20, 9000);
    const { body } = await best({ platforms: 'x' });
    const day = new Date(world.clock.now - 8 * DAY).getUTCDay();
    const weekday = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][day];
    expect(body).toMatchObject({
      measured_posts: 10,
      is_default: false,
      best: [{ weekday, hour: 15 }],
      warnings: [],
    });
    const next = Date.parse(String(body['next_best_time']));
    expect([new Date(next).getUTCDay(), new Date(next).getUTCHours()]).toEqual([day, 15]);
    expect(next).toBeGreaterThanOrEqual(world.clock.now + 5 * MINUTE);
  });

  test('counts the posts of the requested platforms', async () => {
    await measuredPosts(10, 7, 3, 100);
    const found = await Promise.all(
      ['bluesky', 'x', 'x,bluesky', 'telegram', 'x,x'].map(platforms => best({ platforms })),
    );
    expect(found.map(({ body }) => body['measured_posts'])).toEqual([0, 10, 10, 0, 10]);
    expect((await best()).body).toMatchObject({ measured_posts: 10 });
  });

  test.each<[Record<string, string>, string]>([
    [{ platforms: 'myspace' }, 'platforms'],
    [{ platforms: ',' }, 'platforms'],
    [{ profile_name: '' }, 'profile_name'],
  ])('answers 400 to %j', async (query, field) => {
    const { status, body } = await best(query);
    expect(status).toBe(400);
    expect(body['details']).toMatchObject([{ field }]);
  });

  test('answers 404 for an unknown profile', async () => {
    expect(await best({ profile_name: 'Nobody' })).toMatchObject({
      status: 404,
      body: { error: 'Profile not found' },
    });
  });
});

describe('schedule_best_time', () => {
  const create = (change: Record<string, unknown> = {}) =>
    call(world, createPost, {
      body: {
        profile_name: 'Acme',
        post_type: 'text',
        platforms: ['x'],
        description: `Best time ${newId()}`,
        schedule_best_time: true,
        ...change,
      },
    });

  test('schedules the post at the next best hour of the profile on its platforms', async () => {
    await measuredPosts(10, 7, 3, 100);
    const shown = (await best({ platforms: 'x' })).body['next_best_time'];
    const { status, body } = await create();
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { status: 'scheduled', is_immediate: false, scheduled_date: shown, warnings: [] },
    });
  });

  test('warns when the default grid was used', async () => {
    const { status, body } = await create();
    expect({ status, body }).toMatchObject({ status: 201, body: { warnings: [{ code: 'DEFAULT_GRID' }] } });
    const at = new Date(String(body['scheduled_date']));
    expect([2, 3, 4]).toContain(at.getUTCDay());
    expect(at.getUTCHours()).toBe(10);
  });

  test.each([{ add_to_queue: true }, { scheduled_date: '2099-01-01T00:00:00Z' }])(
    'cannot be combined with %j',
    async other => {
      expect((await create(other)).status).toBe(400);
    },
  );
});

test('deletes the readings of a deleted profile', async () => {
  await measuredPosts(10, 7, 3, 100);
  await deleteProfileContent(world.services, { workspace_id: 'w1', profile_id: 'p1' }, () => false);
  expect((await best()).body).toMatchObject({ measured_posts: 0 });
});
