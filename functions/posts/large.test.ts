import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLATFORM_IDS } from '../../shared/model/platform.ts';
import { postFields } from '../../shared/posts/input/fields.ts';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { addProfile, call } from '../../test/support/posts.ts';
import { createPost } from './create.ts';
import { updatePost } from './update.ts';

let world: DeliveryWorld;
let waiting: string;

beforeAll(async () => {
  world = await deliveryWorld();
  for (const platform of PLATFORM_IDS) await world.connect(platform);
  await addProfile(world);
  const { body } = await create({ post_type: 'text', platforms: ['x'], scheduled_date: tomorrow() });
  waiting = String(body['post_id']);
});
afterAll(() => world.close());

const tomorrow = () => new Date(world.clock.now + 86_400_000).toISOString();

function create(change: Record<string, unknown>) {
  world.clock.now += 86_400_000;
  const media_urls = change['post_type'] === 'text' ? [] : ['https://93.184.216.34/a'];
  const body = { profile_name: 'Acme', title: 'Title', description: crypto.randomUUID(), media_urls };
  return call(world, createPost, { body: { ...body, auto_truncate: true, ...change } });
}

const HUGE = 'word '.repeat(150_000);
const HUGE_VALUES = [HUGE, [HUGE], { a: HUGE }];
/** Every kind of post on all platforms that take it, with all that they ask for. */
const KINDS = [
  { post_type: 'text', platforms: ['x', 'facebook', 'linkedin', 'threads', 'bluesky', 'gbp', 'telegram'] },
  {
    post_type: 'image',
    platforms: PLATFORM_IDS.filter(platform => platform !== 'youtube'),
    tiktok_privacy_level: 'SELF_ONLY',
    pinterest_board_id: '1',
  },
  {
    post_type: 'video',
    platforms: PLATFORM_IDS.filter(platform => platform !== 'bluesky'),
    tiktok_privacy_level: 'SELF_ONLY',
    pinterest_board_id: '1',
  },
];

describe('a field of excessive length', () => {
  // Each field meets every kind of post and every kind of value, not every pair of them.
  const fields = Object.keys(postFields).map((field, index) => ({ field, index }));
  test.each(fields)('is stored or named in an error: $field', async ({ field, index }) => {
    for (const [at, kind] of KINDS.entries()) {
      const value = HUGE_VALUES[(index + at) % HUGE_VALUES.length];
      const { status, body } = await create({ ...kind, [field]: value });
      const named = (body['details'] as { field: string }[] | undefined)?.map(each => each.field) ?? [];
      if (status === 404) expect(field).toBe('profile_name');
      else if (status === 400) expect(named.some(each => each.startsWith(field))).toBe(true);
      else expect(status).toBe(201);
    }
    const changed = await call(world, updatePost, {
      params: { id: waiting },
      body: { auto_truncate: true, [field]: HUGE },
    });
    expect([200, 400, 404]).toContain(changed.status);
  });
});

describe('a post that is too large for a table item', () => {
  const urls = Array.from({ length: 450 }, (_, index) => `https://93.184.216.34/${index}${'a'.repeat(2000)}`);
  const image = { post_type: 'image', platforms: ['x'] };
  test.each([
    ['description', { ...image, description: HUGE }],
    ['title', { ...image, title: HUGE }],
    ['first_comment', { ...image, first_comment: HUGE }],
    ['media_urls', { ...image, media_urls: urls }],
    ['x_alt_text', { ...image, x_alt_text: HUGE }],
  ])('is refused with an error for its largest field: %s', async (field, given) => {
    const { status, body } = await create(given);
    expect(status).toBe(400);
    expect(body['details']).toEqual([
      { field, message: expect.stringMatching(/at most 280000 bytes/), platform: null },
    ]);
  });

  test('is not one with the longest text of any platform, whatever its characters', async () => {
    const description = '\u{1F600}'.repeat(63_206);
    expect((await create({ post_type: 'text', platforms: ['facebook'], description })).status).toBe(201);
  });
});
