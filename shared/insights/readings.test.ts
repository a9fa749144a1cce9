import { describe, expect, test } from '@jest/globals';
import { newPendingPost } from '../../test/support/delivery-world.ts';
import type { Destination } from '../model/destination.ts';
import type { FirstReadings } from '../model/insight.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import type { InsightsReader } from '../platforms/contract/insights.ts';
import { DAY, HOUR, MINUTE } from '../time/instant.ts';
import { openFirstReadings, type Readers } from './readings.ts';

const T = Date.UTC(2026, 11, 1, 10);
const PLATFORMS: PlatformId[] = ['x', 'bluesky'];
const reader = (firstAge: number): InsightsReader => ({
  batch: 1,
  ages_ms: [firstAge, 30 * DAY],
  read: () => Promise.resolve(new Map()),
});
const READERS: Readers = { x: reader(HOUR), bluesky: reader(DAY) };

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
const open = (post: Post | undefined, now: number) => {
  const { due, rest } = openFirstReadings(FIRST, post, READERS, now);
  return { due: due.map(({ platform, due_at }) => ({ platform, due_at })), rest };
};

describe('the first readings of a post', () => {
  test('are due at the first age of each platform', () => {
    const post = postWith({ x: live(T), bluesky: live(T + MINUTE) });
    expect(open(post, T + HOUR)).toEqual({
      due: [{ platform: 'x', due_at: T + HOUR }],
      rest: { ...FIRST, platforms: ['bluesky'], due_at: T + MINUTE + DAY },
    });
    expect(open(post, T + MINUTE + DAY)).toEqual({
      due: [
        { platform: 'x', due_at: T + HOUR },
        { platform: 'bluesky', due_at: T + MINUTE + DAY },
      ],
      rest: null,
    });
  });

  test('wait where the post went live later than planned', () => {
    const post = postWith({ x: live(T + 2 * HOUR), bluesky: { status: 'failed' } });
    expect(open(post, T + HOUR)).toEqual({
      due: [],
      rest: { ...FIRST, platforms: ['x'], due_at: T + 3 * HOUR },
    });
  });

  test('leave out what is not live yet', () => {
    const post = postWith({ x: live(T), bluesky: { status: 'retrying' } });
    expect(open(post, T + HOUR)).toEqual({ due: [{ platform: 'x', due_at: T + HOUR }], rest: null });
  });

  test('are dropped where the post failed, was cancelled or no longer exists', () => {
    const nothing = { due: [], rest: null };
    expect(open(postWith({ x: { status: 'failed' }, bluesky: { status: 'cancelled' } }), T + HOUR)).toEqual(
      nothing,
    );
    expect(open(undefined, T + HOUR)).toEqual(nothing);
  });

  test('know the account and the target of each destination', () => {
    const { due } = openFirstReadings(FIRST, postWith({ x: live(T) }), READERS, T + HOUR);
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
