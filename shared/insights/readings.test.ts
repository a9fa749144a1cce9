import { describe, expect, test } from '@jest/globals';
import { newPendingPost } from '../../test/support/delivery-world.ts';
import type { Destination } from '../model/destination.ts';
import type { FirstReadings } from '../model/insight.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import { DAY, HOUR, MINUTE } from '../time/instant.ts';
import { openFirstReadings } from './readings.ts';

const T = Date.UTC(2026, 11, 1, 10);
/** X's first reading follows after an hour, Pinterest's after a day. */
const PLATFORMS: PlatformId[] = ['x', 'pinterest'];

const FIRST: FirstReadings = {
  workspace_id: 'w1',
  profile_id: 'p1',
  post_id: 'a',
  platforms: PLATFORMS,
  due_at: T + HOUR,
};

function postWith(changes: Partial<Record<PlatformId, object>>): Post {
  const post = newPendingPost(T, PLATFORMS);
  const changed = Object.entries(post.destinations).map(([platform, destination]) => [
    platform,
    { ...destination, ...changes[platform as PlatformId] },
  ]);
  return { ...post, destinations: Object.fromEntries(changed) as Record<PlatformId, Destination> };
}

const live = (published_at: number) => ({
  status: 'published',
  platform_post_id: 'id',
  published_at,
  follow_ups: [],
});
const open = async (post: Post | undefined, now: number) => {
  const { due, rest } = await openFirstReadings(FIRST, post, now);
  return { due: due.map(({ platform, due_at }) => ({ platform, due_at })), rest };
};

describe('the first readings of a post', () => {
  test('are due at the first age of each platform', async () => {
    const post = postWith({ x: live(T), pinterest: live(T + MINUTE) });
    expect(await open(post, T + HOUR)).toEqual({
      due: [{ platform: 'x', due_at: T + HOUR }],
      rest: { ...FIRST, platforms: ['pinterest'], due_at: T + MINUTE + DAY },
    });
    expect(await open(post, T + MINUTE + DAY)).toEqual({
      due: [
        { platform: 'x', due_at: T + HOUR },
        { platform: 'pinterest', due_at: T + MINUTE + DAY },
      ],
      rest: null,
    });
  });

  test('wait where the post went live later than planned', async () => {
    const post = postWith({ x: live(T + 2 * HOUR), pinterest: { status: 'failed' } });
    expect(await open(post, T + HOUR)).toEqual({
      due: [],
      rest: { ...FIRST, platforms: ['x'], due_at: T + 3 * HOUR },
    });
  });

  test('leave out what is not live yet', async () => {
    const post = postWith({ x: live(T), pinterest: { status: 'retrying' } });
    expect(await open(post, T + HOUR)).toEqual({ due: [{ platform: 'x', due_at: T + HOUR }], rest: null });
  });

  test('are dropped where the post failed, was cancelled or no longer exists', async () => {
    const nothing = { due: [], rest: null };
    expect(
      await open(postWith({ x: { status: 'failed' }, pinterest: { status: 'cancelled' } }), T + HOUR),
    ).toEqual(nothing);
    expect(await open(undefined, T + HOUR)).toEqual(nothing);
  });

  test('know the account and the target of each destination', async () => {
    const { due } = await openFirstReadings(FIRST, postWith({ x: live(T) }), T + HOUR);
    expect(due).toEqual([
      {
        workspace_id: 'w1',
        profile_id: 'p1',
        account_id: 'c-x',
        target_id: null,
        post_id: expect.any(String),
        platform: 'x',
        platform_post_id: 'id',
        published_at: T,
        due_at: T + HOUR,
        index: 0,
        failures: 0,
      },
    ]);
  });
});
