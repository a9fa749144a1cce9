import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openWorld, type World } from '../faults/world.ts';
import {
  closeStack,
  create,
  eventually,
  finalPost,
  isFinal,
  liveWith,
  startObserved,
  type Receiver,
} from '../support/e2e.ts';
import { inParallel } from '../support/parallel.ts';
import { connectedProfiles } from '../support/profiles.ts';
import type { Json, TestStack } from '../support/stack.ts';

/** Scheduled posts: many for the same second, a year ahead, and in a process that runs in another time zone. */

const START_MS = 600_000;
const TEST_MS = 900_000;
const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
/** Bluesky's daily cap is 50 posts for each account. */
const PROFILES = ['North', 'East', 'South', 'West'];
const POSTS = 60;
const PARALLEL = 10;

let stack: TestStack;
let hook: Receiver;
let world: World;
beforeAll(async () => {
  ({ stack, hook } = await startObserved({ env: { TZ: 'America/New_York' } }));
  world = openWorld(stack);
}, START_MS);
afterAll(async () => {
  world.close();
  await closeStack(stack);
});

const schedules = async () => (await stack.local('GET', '/_local/schedules')).body.schedules;
const advanceTo = async (time: number) => stack.advance(Math.max(0, (time - (await stack.now())) / 1000));

test(
  `publishes ${POSTS} posts due at the same second exactly once, even when workers die, and leaves no schedule`,
  async () => {
    await connectedProfiles(stack, PROFILES, ['bluesky']);
    const due = Math.ceil((await stack.now()) / 60_000) * 60_000 + 2 * HOUR_S * 1000;
    const ids = new Map<string, string>();
    await inParallel(PARALLEL, Array.from({ length: POSTS }), async (_, index) => {
      const description = `Same second, number ${index}`;
      const body = {
        profile_name: PROFILES[index % PROFILES.length],
        platforms: ['bluesky'],
        description,
        scheduled_date: new Date(due).toISOString(),
      };
      ids.set(await create(stack, body), description);
    });
    expect(await schedules()).toHaveLength(POSTS);
    // Three workers die: one before its request reaches the platform, two after.
    for (const [kill, after] of [
      ['before', 10],
      ['after', 30],
      ['after', 50],
    ] as const) {
      await stack.control('POST', '/_control/faults', {
        platform: 'bluesky',
        path: 'putRecord',
        kill,
        after,
      });
    }
    await advanceTo(due - 80_000);
    await eventually('every schedule has fired', 300_000, async () =>
      (await schedules()).length === 0 ? true : null,
    );
    await advanceTo(due - 2000);
    const outcomes = await untilAllAreFinal([...ids.keys()]);
    const { body: faults } = await stack.control('GET', '/_control/faults');
    expect(faults.items.map(({ hits }: Json) => hits)).toEqual([1, 1, 1]);

    expect(outcomes.filter(({ status }) => status !== 'published')).toEqual([]);
    for (const { post_id, scheduled_date } of outcomes) {
      const live = await liveWith(stack, ids.get(post_id) ?? '');
      expect([post_id, live.length]).toEqual([post_id, 1]);
      expect(live[0]!.published_at >= scheduled_date).toBe(true);
    }
    // On a busy machine, a delivery may time out, and its retry comes minutes later.
    const published = await eventually('every post has its post.published event', 400_000, async () => {
      const events = (await hook.events()).filter(({ event }) => event === 'post.published');
      const posts = new Set(events.map(({ data }) => data.post_id));
      if (posts.size === POSTS) return events;
      await world.pass(60);
      return null;
    });
    expect(new Set(published.map(({ id }) => id)).size).toBe(POSTS);
  },
  TEST_MS,
);

test(
  'publishes a post 365 days ahead after a year, and refuses one a day later',
  async () => {
    const due = Math.ceil((await stack.now()) / 1000) * 1000 + 365 * DAY_S * 1000 - 60_000;
    const refused = await stack.api('POST', '/posts', {
      profile_name: 'Demo',
      post_type: 'text',
      platforms: ['telegram'],
      description: 'Too far',
      scheduled_date: new Date(due + DAY_S * 1000).toISOString(),
    });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'scheduled_date' }] } });

    const description = 'In a year';
    const scheduled_date = new Date(due).toISOString();
    const id = await create(stack, { platforms: ['telegram'], description, scheduled_date });
    expect(await schedules()).toHaveLength(1);
    await advanceTo(due - 100_000);
    expect(await liveWith(stack, description)).toEqual([]);
    await advanceTo(due - 2000);
    expect(await finalPost(stack, id)).toMatchObject({ status: 'published' });
    expect(await liveWith(stack, description)).toHaveLength(1);
    expect(await schedules()).toEqual([]);
  },
  TEST_MS,
);

test('reads a date without an offset as UTC, whatever the time zone of the process', async () => {
  const tomorrow = new Date((await stack.now()) + DAY_S * 1000).toISOString().slice(0, 10);
  const scheduled = async (scheduled_date: string) => {
    const id = await create(stack, { platforms: ['telegram'], description: scheduled_date, scheduled_date });
    const { body } = await stack.api('GET', `/posts/${id}`);
    expect((await stack.api('DELETE', `/posts/${id}`)).status).toBe(204);
    return body.scheduled_date;
  };
  expect(await scheduled(`${tomorrow}T09:00:00`)).toBe(`${tomorrow}T09:00:00.000Z`);
  expect(await scheduled(`${tomorrow}T09:00:00+02:00`)).toBe(`${tomorrow}T07:00:00.000Z`);
});

/** Waits for all posts; advances the clock in minutes once only those with the leases of dead workers are left. */
async function untilAllAreFinal(ids: readonly string[]): Promise<Json[]> {
  const final = new Map<string, Json>();
  await eventually('every post is final', TEST_MS / 2, async () => {
    for (const post of await page(ids.length)) {
      if (post.destinations.every(isFinal)) final.set(post.post_id, post);
    }
    if (ids.every(id => final.has(id))) return true;
    if (final.size > 0) await world.pass(60);
    return null;
  });
  return ids.map(id => final.get(id));
}

/** Returns the newest posts, page by page: one request for each post would exceed the key's rate limit. */
async function page(count: number): Promise<Json[]> {
  const posts: Json[] = [];
  let cursor = '';
  while (posts.length < count) {
    const { body } = await stack.api('GET', `/posts?limit=100${cursor}`);
    posts.push(...body.data);
    if (body.next_cursor === null) break;
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
  return posts;
}
