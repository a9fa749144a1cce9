import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { newPendingPost } from '../../test/support/delivery-world.ts';
import type { Destination } from '../model/destination.ts';
import { newId } from '../model/id.ts';
import type { Post } from '../model/post.ts';
import { destinationItem, postItem, PostItemSchema } from './post-item.ts';
import { DESTINATION_NAMES, POST_NAMES } from './post-names.ts';

const NOW = 1_800_000_000_000;
const pending = newPendingPost(NOW, ['x', 'threads', 'telegram']);
const common = { ...pending.destinations.x!, platform: 'x' as const };
const progress = { checkpoint: null, intent: null };
const error = {
  code: 'PLATFORM_UNAVAILABLE',
  category: 'platform',
  message: 'No answer',
  remedy: 'Wait',
  retryable: true,
} as const;
const live = { platform_post_id: '1', platform_post_url: null, published_at: NOW };

/** One of each status with defaults only, and some that differ from them. */
const DESTINATIONS: readonly Destination[] = [
  common,
  { ...common, status: 'cancelled' },
  { ...common, ...progress, status: 'publishing', lease_until: NOW, written_by: 'a' },
  { ...common, ...progress, status: 'processing', next_attempt_at: NOW },
  { ...common, ...progress, status: 'retrying', next_attempt_at: NOW, error },
  { ...common, status: 'failed', error, abandoned: null },
  { ...common, ...live, status: 'published', follow_ups: [], lease: null },
  {
    ...common,
    status: 'publishing',
    lease_until: NOW,
    attempts: 3,
    failures: 2,
    first_attempt_at: NOW,
    checkpoint: { step: 'upload', state: { parts: [], id: null, done: false } },
    intent: { step: 'publish', at: NOW },
    outbox: ['post.published'],
  },
];

/** Returns the own names of stored ones. */
const namesOf = (names: Readonly<Record<string, string>>) =>
  new Map(Object.entries(names).map(([name, stored]) => [stored, name]));

const read = (post: Post) => v.parse(PostItemSchema, postItem(post));

describe('the item of a post', () => {
  test.each(DESTINATIONS.map(each => [each.status, each] as const))(
    'is read as the post that was stored: %s',
    (_, destination) => {
      const post = { ...pending, destinations: { ...pending.destinations, x: destination } };
      expect(read(post)).toEqual(post);
    },
  );

  test('keeps what differs from the defaults', () => {
    const post: Post = {
      ...pending,
      title: '',
      description: null,
      media_urls: ['https://example.com/a.jpg'],
      media_alt_texts: [null],
      media_bytes: null,
      first_comment: 'First',
      auto_truncate: true,
      options: { x_reply_settings: 'following', x_poll_options: [] },
      wake_at: NOW,
    };
    expect(read(post)).toEqual(post);
  });

  test('has neither defaults nor what its keys say', () => {
    const { PK: _, SK: __, due_at: ___, ...item } = postItem({ ...pending, scheduling: 'scheduled' });
    const stored = namesOf(POST_NAMES);
    expect(
      Object.keys(item)
        .map(name => stored.get(name))
        .sort(),
    ).toEqual(
      ['created_at', 'created_by', 'description', 'destinations', 'profile_id', 'profile_name'].concat([
        'scheduling',
        'updated_at',
        'version',
      ]),
    );
    expect(
      Object.keys(destinationItem(common))
        .map(name => namesOf(DESTINATION_NAMES).get(name))
        .sort(),
    ).toEqual(['changed_at', 'revision', 'social_account_id', 'status']);
  });

  test.each([
    ['of this service', newId(), Uint8Array],
    ['in capitals', newId().toUpperCase(), String],
    ['that is no UUID', 'owner-1', String],
    ['that is empty', '', String],
  ])('keeps an id %s', (_, id, type) => {
    const post = { ...pending, profile_id: id, destinations: { x: { ...common, social_account_id: id } } };
    expect(postItem(post)[POST_NAMES.profile_id]).toEqual(expect.any(type));
    expect(read(post)).toEqual(post);
  });

  test.each([
    ['posts', POST_NAMES, ['due_at', 'wake_at', 'wake_shard', 'PK', 'SK']],
    ['destinations', DESTINATION_NAMES, []],
  ])('has different names for different attributes of %s', (_, names, kept) => {
    const stored = [...Object.values(names), ...kept];
    expect(new Set(stored).size).toBe(stored.length);
  });
});
