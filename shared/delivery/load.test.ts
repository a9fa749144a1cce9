import { expect, test } from '@jest/globals';
import { newPendingPost } from '../../test/support/delivery-world.ts';
import type { Destination } from '../model/destination.ts';
import { failure } from '../model/failure.ts';
import { CAPACITY, weightOf } from './load.ts';
import { leased, published, retrying, waiting } from './transitions.ts';

const NOW = Date.UTC(2026, 11, 1, 10);
const pending = newPendingPost(NOW, ['x']).destinations.x!;
const onPinterest = newPendingPost(NOW, ['pinterest']).destinations.pinterest!;
const held = leased(pending, NOW);
const error = failure('PLATFORM_UNAVAILABLE', 'Busy');
const live = { platform_post_id: '1', platform_post_url: null, published_at: NOW };
const followed = published(held, live, [], NOW);

test.each<[string, 'text' | 'image' | 'video' | 'document', Destination, number]>([
  ['a text', 'text', pending, 1],
  ['a text that waits', 'text', waiting(held, {}, NOW, NOW), 1],
  ['a text whose attempt failed', 'text', retrying(held, {}, error, NOW, NOW), 1],
  ['the follow-up of a text', 'text', followed, 1],
  ['an image', 'image', pending, CAPACITY],
  ['an image where there is memory for two', 'image', onPinterest, CAPACITY / 2],
  ['a video', 'video', pending, CAPACITY],
  ['a document', 'document', pending, CAPACITY],
  ['a text whose worker died', 'text', held, CAPACITY],
  [
    'a text whose worker died in a follow-up',
    'text',
    { ...followed, lease: { follow_up: 'first_comment', until: NOW } },
    CAPACITY,
  ],
])('%s takes its share of an environment', (_, post_type, destination, weight) => {
  expect(weightOf({ post_type }, destination)).toBe(weight);
});
