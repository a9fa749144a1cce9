import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { newPendingPost } from '../../test/support/delivery-world.ts';
import type { Destination } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import { postItem, PostItemSchema } from './post-item.ts';

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
    const item = postItem(pending);
    for (const name of ['post_id', 'workspace_id', 'title', 'media_urls', 'options'])
      expect(item).not.toHaveProperty(name);
    for (const name of ['platform', 'attempts', 'outbox', 'first_attempt_at'])
      expect(item).not.toHaveProperty(['destinations', 'x', name]);
  });
});
