import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeStack, create, eventually, finalPost, read } from '../support/e2e.ts';
import { startStack, type Json, type TestStack } from '../support/stack.ts';

/** Posts that are scheduled by the service: in a slot of the queue, or at the best time. */

const START_MS = 600_000;
const TEST_MS = 600_000;
const HOUR_S = 3600;

const data = mkdtempSync(join(tmpdir(), 'queue-'));
let stack: TestStack;
beforeAll(async () => {
  stack = await startStack({ data });
  // Slots are at full hours: start just after one, so that none begins or passes during the tests.
  const HOUR_MS = HOUR_S * 1000;
  await stack.advance((HOUR_MS - ((await stack.now()) % HOUR_MS)) / 1000 + 60);
}, START_MS);
afterAll(async () => {
  await closeStack(stack);
  rmSync(data, { recursive: true, force: true });
}, TEST_MS);

const queued = (text: string): Promise<string> =>
  create(stack, { platforms: ['telegram'], description: text, add_to_queue: true });
/** Queues a post and retries with the same idempotency key, as a client does when a busy machine times out. */
const queuedWithRetries = (text: string): Promise<string> =>
  eventually(`${text} is queued`, 300_000, async () => {
    const body = { profile_name: 'Demo', post_type: 'text', platforms: ['telegram'], description: text };
    const key = { 'idempotency-key': text };
    const answer = await stack.api('POST', '/posts', { ...body, add_to_queue: true }, key);
    if (answer.status === 201) return answer.body.post_id;
    expect([409, 503]).toContain(answer.status);
    await sleep(1000);
    return null;
  });
const dateOf = async (id: string): Promise<string> => (await read(stack, id)).scheduled_date;
const get = async (path: string): Promise<Json> => {
  const answer = await stack.api('GET', path);
  expect(answer.status).toBe(200);
  return answer.body;
};
const preview = async (limit = 10): Promise<Json[]> =>
  (await get(`/queue/preview?profile_name=Demo&limit=${limit}`)).slots;
const nextSlot = async (): Promise<string> => (await get('/queue/next-slot?profile_name=Demo')).next_slot;

describe('the queue', () => {
  test(
    'assigns slots, shows them, frees the slot of a deleted post, and survives a SIGKILL',
    async () => {
      const slots = (await preview(3)).map(({ slot_at }) => slot_at);
      const ids = [await queued('First in line'), await queued('Second in line'), await queued('Third')];
      expect(await Promise.all(ids.map(dateOf))).toEqual(slots);
      expect((await stack.api('DELETE', `/posts/${ids[0]!}`)).status).toBe(204);
      expect(await nextSlot()).toBe(slots[0]);
      const again = await queued('In the freed slot');
      expect(await dateOf(again)).toBe(slots[0]);

      const before = await preview();
      await closeStack(stack, 'SIGKILL');
      stack = await startStack({ data });
      expect(await preview()).toEqual(before);
      expect(before.slice(0, 4).map(({ used, post_ids }) => [used, post_ids])).toEqual([
        [1, [again]],
        [1, [ids[1]]],
        [1, [ids[2]]],
        [0, []],
      ]);
    },
    TEST_MS,
  );

  test(
    'assigns different slots without gaps to concurrent posts',
    async () => {
      const from = await nextSlot();
      const ids = await Promise.all(Array.from({ length: 25 }, (_, n) => queuedWithRetries(`At once ${n}`)));
      const dates = await Promise.all(ids.map(dateOf));
      expect(new Set(dates).size).toBe(25);
      const shown = (await preview(40)).filter(({ slot_at }) => slot_at >= from);
      expect(dates.sort()).toEqual(shown.slice(0, 25).map(({ slot_at }) => slot_at));
      await Promise.all(ids.map(id => stack.api('DELETE', `/posts/${id}`)));
      expect(await nextSlot()).toBe(from);
    },
    TEST_MS,
  );

  test(
    'publishes a post at its slot, even when the settings have changed since',
    async () => {
      const [slot] = (await preview(1)) as [Json];
      const settings = { profile_name: 'Demo', timezone: 'Asia/Tokyo', slots: [{ time: '06:45' }] };
      expect((await stack.api('POST', '/queue/settings', settings)).status).toBe(200);
      await stack.advance(Math.ceil((Date.parse(slot.slot_at) - (await stack.now())) / 1000) - 3);
      const post = await eventually('the post is live', 300_000, async () => {
        const found = await read(stack, slot.post_ids[0]);
        return found.status === 'published' ? found : null;
      });
      expect(post.scheduled_date).toBe(slot.slot_at);
      expect(Date.parse(post.published_at)).toBeGreaterThanOrEqual(Date.parse(slot.slot_at));
      expect((await preview(1))[0]).toMatchObject({ local_time: expect.stringMatching(/T06:45$/) });
    },
    TEST_MS,
  );

  test.each<[string, string, Json]>([
    ['an unknown time zone', '/queue/settings', { profile_name: 'Demo', timezone: 'Mars/Base' }],
    ['the time 25:00', '/queue/settings', { profile_name: 'Demo', slots: [{ time: '25:00' }] }],
    ['an empty list of slots', '/queue/settings', { profile_name: 'Demo', slots: [] }],
    [
      'a duplicate slot',
      '/queue/settings',
      { profile_name: 'Demo', slots: [{ time: '9:00' }, { time: '09:00' }] },
    ],
    ['a missing profile', '/queue/settings', {}],
  ])('refuses settings with %s', async (_, path, body) => {
    const answer = await stack.api('POST', path, body);
    expect([answer.status, answer.body.error]).toEqual([400, 'Validation failed']);
  });

  test.each([
    ['/queue/preview?profile_name=Demo&limit=0', 400],
    ['/queue/preview?profile_name=Demo&limit=101', 400],
    ['/queue/preview', 400],
    ['/queue/next-slot?profile_name=Nobody', 404],
    ['/analytics/best-times?profile_name=Demo&platforms=myspace', 400],
    ['/analytics/best-times?profile_name=Nobody', 404],
    ['/posts/0197c2f0-5b7a-7c3e-9d7b-0b6f2c1a4e55/analytics', 404],
  ])('responds to GET %s with %i', async (path, status) => {
    expect((await stack.api('GET', path)).status).toBe(status);
  });
});

describe('the best time', () => {
  test(
    'is computed from the metrics of published posts',
    async () => {
      await stack.api('POST', '/queue/settings', { profile_name: 'Demo', timezone: 'Asia/Tokyo' });
      expect(await get('/analytics/best-times?profile_name=Demo')).toMatchObject({
        is_default: true,
        warnings: [{ code: 'DEFAULT_GRID' }],
      });
      const ids = await Promise.all(
        Array.from({ length: 6 }, (_, n) =>
          create(stack, { platforms: ['x', 'bluesky', 'telegram'], description: `Measured ${n}` }),
        ),
      );
      const posts = await Promise.all(ids.map(id => finalPost(stack, id)));
      const numbers = { likes: 7, comments: 2, shares: 1, views: 300 };
      for (const { platform, platform_post_id } of posts.flatMap(({ destinations }) => destinations)) {
        if (platform === 'telegram') continue;
        await stack.control('POST', '/_control/metrics', { platform, platform_post_id, ...numbers });
      }
      // X's token expires in that time: the insights run renews it.
      await stack.advance(3 * HOUR_S);
      let polls = 0;
      await eventually('all posts are measured', 300_000, async () => {
        const { measured_posts } = await get('/analytics/best-times?profile_name=Demo');
        if (measured_posts === 12) return true;
        polls += 1;
        // A reading that failed on a busy machine is due in the next run, 15 minutes later.
        if (polls % 50 === 0) await stack.advance(16 * 60);
        return null;
      });

      const { destinations } = await get(`/posts/${ids[0]!}/analytics`);
      const shown = Object.fromEntries(destinations.map((each: Json) => [each.platform, each]));
      expect(shown.x).toMatchObject({ available: true, metrics: numbers });
      expect(shown.bluesky).toMatchObject({ available: true, metrics: { ...numbers, views: null } });
      expect(shown.telegram).toMatchObject({ available: false, metrics: null, measured_at: null });

      const best = await get('/analytics/best-times?profile_name=Demo&platforms=x,bluesky');
      expect(best).toMatchObject({ is_default: false, warnings: [], timezone: 'Asia/Tokyo' });
      const made = await stack.api('POST', '/posts', {
        profile_name: 'Demo',
        post_type: 'text',
        platforms: ['x', 'bluesky'],
        description: 'At the best time',
        schedule_best_time: true,
      });
      expect(made).toMatchObject({ status: 201, body: { warnings: [], status: 'scheduled' } });
      const hourOf = (date: string) => Math.floor(Date.parse(date) / (HOUR_S * 1000));
      const hours = posts.map(({ published_at }) => hourOf(published_at) + 7 * 24);
      expect(hours).toContain(hourOf(made.body.scheduled_date));
    },
    TEST_MS,
  );
});
