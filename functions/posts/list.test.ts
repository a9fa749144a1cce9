import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { call } from '../../test/support/posts.ts';
import { toResult } from '../../shared/http/event.ts';
import { newId } from '../../shared/model/id.ts';
import type { Post } from '../../shared/model/post.ts';
import { createProfile } from '../../shared/store/profiles.ts';
import { getPost } from './get.ts';
import { listPosts } from './list.ts';

let world: DeliveryWorld;
const COUNT = 520;
const HOUR = 3_600_000;
/** Lambda's limit for what a function returns, bytes. */
const RESPONSE_LIMIT = 6_291_556;
let posts: Post[];

beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
  const now = world.clock.now;
  const make = (index: number): Partial<Post> => ({
    // Five posts a millisecond: their ids alone tell them apart.
    post_id: newId(now + Math.floor(index / 5)),
    description: `Post ${index} ${'x'.repeat(4000)}`,
    profile_name: index % 2 === 0 ? 'Acme' : 'Other & Söhne',
    post_type: index % 10 === 0 ? 'image' : 'text',
    ...(index % 4 === 0 ? { scheduling: 'scheduled' as const, due_at: now + (index + 1) * HOUR } : {}),
  });
  posts = await Promise.all(
    Array.from({ length: COUNT }, (_, index) =>
      world.store(make(index), index === 0 ? ['bluesky'] : index % 3 === 0 ? ['x', 'telegram'] : ['x']),
    ),
  );
});
afterAll(() => world.close());

type Page = { data: { post_id: string }[]; next_cursor: string | null };

async function page(query: Record<string, string>): Promise<{ status: number; body: Page }> {
  const { status, body } = await call(world, listPosts, { query });
  return { status, body: body as unknown as Page };
}

/** Follows the cursors to the end. */
async function walk(query: Record<string, string>): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const { body }: { body: Page } = await page({ ...query, ...(cursor ? { cursor } : {}) });
    ids.push(...body.data.map(({ post_id }) => post_id));
    cursor = body.next_cursor;
  } while (cursor);
  return ids;
}

const newestFirst = (chosen: readonly Post[]) =>
  chosen
    .map(({ post_id }) => post_id)
    .sort()
    .reverse();

describe('GET /posts', () => {
  test('returns every post once, newest first, for any page size', async () => {
    for (const limit of ['7', '100']) expect(await walk({ limit })).toEqual(newestFirst(posts));
  });

  test('has no cursor after the last post, also when the last page is full', async () => {
    const limit = posts.length / 8;
    const lengths: number[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: Page } = await page({ limit: String(limit), ...(cursor ? { cursor } : {}) });
      lengths.push(body.data.length);
      cursor = body.next_cursor;
    } while (cursor);
    expect(lengths).toEqual(Array.from({ length: 8 }, () => limit));
    const matching = posts.filter(({ post_type }) => post_type === 'image');
    const filtered = await page({ limit: String(matching.length), post_type: 'image' });
    expect([filtered.body.data.length, filtered.body.next_cursor]).toEqual([matching.length, null]);
  });

  test('keeps its position while posts are added', async () => {
    const first = await page({ limit: '10' });
    await world.store({ post_id: newId(world.clock.now + HOUR) });
    const second = await page({ limit: '10', cursor: first.body.next_cursor! });
    const ids = [...first.body.data, ...second.body.data].map(({ post_id }) => post_id);
    expect(ids).toEqual(newestFirst(posts).slice(0, 20));
  });

  test('returns each post as GET /posts/{id} does', async () => {
    const { body } = await page({ limit: '3' });
    for (const item of body.data) {
      const one = await call(world, getPost, { params: { id: item.post_id } });
      expect(one.body).toEqual(item);
    }
  });

  test('ends a page before the response is larger than Lambda returns', async () => {
    const workspace_id = 'w3';
    const principal = { workspace_id, user_id: 'u', key_id: 'k', role: 'owner', plan: 'pro' } as const;
    // A quotation mark is escaped twice: in the body, and in the function's result that contains it.
    const large = { workspace_id, description: '"'.repeat(63_000) };
    const stored = await Promise.all(Array.from({ length: 60 }, () => world.store(large)));
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const query: Record<string, string> = { limit: '100', ...(cursor ? { cursor } : {}) };
      const answer = await call(world, listPosts, { query, principal });
      expect(Buffer.byteLength(JSON.stringify(toResult(answer)))).toBeLessThan(RESPONSE_LIMIT);
      const { data, next_cursor } = answer.body as unknown as Page;
      expect(data.length).toBeGreaterThan(next_cursor ? 10 : 0);
      ids.push(...data.map(({ post_id }) => post_id));
      cursor = next_cursor;
    } while (cursor);
    expect(ids).toEqual(newestFirst(stored));
  });

  const now = () => world.clock.now;
  test.each<[string, () => Record<string, string>, (post: Post) => boolean]>([
    ['platform', () => ({ platform: 'telegram' }), post => 'telegram' in post.destinations],
    ['post_type', () => ({ post_type: 'image' }), post => post.post_type === 'image'],
    ['status', () => ({ status: 'scheduled' }), post => post.scheduling === 'scheduled'],
    ['profile_name', () => ({ profile_name: 'Other & Söhne' }), post => post.profile_name !== 'Acme'],
    [
      'scheduled_from',
      () => ({ scheduled_from: new Date(now() + 401 * HOUR).toISOString() }),
      post => post.scheduling === 'scheduled' && post.due_at >= now() + 401 * HOUR,
    ],
    [
      'scheduled_to',
      () => ({ scheduled_to: new Date(now() + 41 * HOUR).toISOString() }),
      post => post.scheduling === 'scheduled' && post.due_at <= now() + 41 * HOUR,
    ],
    [
      'several filters',
      () => ({ platform: 'x', post_type: 'image', profile_name: 'Acme', status: 'queued' }),
      post => post.post_type === 'image' && 'x' in post.destinations && post.scheduling === 'immediate',
    ],
  ])('filters by %s', async (_, query, wanted) => {
    const chosen = posts.filter(wanted);
    expect(chosen.length).toBeGreaterThan(2);
    expect(await walk({ limit: '9', ...query() })).toEqual(newestFirst(chosen));
  });

  test('finds posts by the current name of their profile, and those of a deleted profile by the stored name', async () => {
    const made = { id: newId(), workspace_id: 'w1', created_by: null, created_at: 1 };
    await createProfile(world.table, { ...made, profile_name: 'New name', username: 'user.name' });
    const post = await world.store({ profile_id: made.id, profile_name: 'Name of old' });
    for (const profile_name of ['New name', 'user.name', 'Name of old'])
      expect(await walk({ limit: '9', profile_name })).toEqual([post.post_id]);
    expect(await walk({ limit: '9', profile_name: 'Nobody' })).toEqual([]);
  });

  test('fills its pages however few posts match a filter', async () => {
    const { body } = await page({ limit: '2', platform: 'bluesky' });
    expect(body.data.map(({ post_id }) => post_id)).toEqual([posts[0]!.post_id]);
    expect(body.next_cursor).toBeNull();
  });

  test('B088: finds a post behind more others than one page reads, after an empty page', async () => {
    const workspace_id = 'w4';
    const principal = { workspace_id, user_id: 'u', key_id: 'k', role: 'owner', plan: 'pro' } as const;
    const at = world.clock.now;
    const oldest = await world.store({ workspace_id, post_id: newId(at - HOUR) }, ['bluesky']);
    const others = Array.from({ length: 2010 }, () => world.store({ workspace_id, post_id: newId(at) }));
    await Promise.all(others);
    const read = async (query: Record<string, string>) => {
      const answer = await call(world, listPosts, { query: { platform: 'bluesky', ...query }, principal });
      return answer.body as unknown as Page;
    };
    const first = await read({});
    expect(first).toEqual({ data: [], next_cursor: expect.any(String) });
    const second = await read({ cursor: first.next_cursor! });
    expect(second).toMatchObject({ data: [{ post_id: oldest.post_id }], next_cursor: null });
  });

  test.each([
    { limit: 'abc' },
    { limit: '0' },
    { limit: '-1' },
    { limit: '100000' },
    { limit: '1.5' },
    { cursor: 'tampered' },
    { status: 'done' },
    { platform: 'myspace' },
    { post_type: 'poll' },
    { scheduled_from: 'tomorrow' },
    { scheduled_to: '2026-02-30T00:00:00Z' },
  ])('answers 400 to %j', async query => {
    expect((await page(query as Record<string, string>)).status).toBe(400);
  });

  test('accepts a cursor only with its own filters and workspace', async () => {
    const { body } = await page({ limit: '1', platform: 'x', status: 'queued' });
    const cursor = body.next_cursor!;
    expect((await page({ limit: '5', status: 'queued', platform: 'x', cursor })).status).toBe(200);
    expect((await page({ limit: '1', platform: 'x', cursor })).status).toBe(400);
    expect((await page({ limit: '1', cursor })).status).toBe(400);
    const stranger = { workspace_id: 'w2', user_id: 'u', key_id: 'k', role: 'owner', plan: 'pro' } as const;
    const query = { limit: '1', platform: 'x', status: 'queued', cursor };
    expect((await call(world, listPosts, { query, principal: stranger })).status).toBe(400);
  });
});
