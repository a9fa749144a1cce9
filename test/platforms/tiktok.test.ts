import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { closeStack, create, eventually, finalPost, liveWith, media, traffic } from '../support/e2e.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Json, TestStack } from '../support/stack.ts';

/* TikTok through the whole local stack: connected on the consent page, videos uploaded, photos fetched by TikTok. */

const TEST_MS = 600_000;

let stack: TestStack;
beforeAll(async () => void (stack = await sharedStack(['tiktok'])), 150_000);
afterAll(() => closeStack(stack));

const post = (body: Json) =>
  create(stack, { platforms: ['tiktok'], tiktok_privacy_level: 'PUBLIC_TO_EVERYONE', ...body });

/** Advances the clock until the post is final. */
async function published(id: string): Promise<Json> {
  await eventually(`post ${id} is final`, 300_000, async () => {
    const { body } = await stack.api('GET', `/posts/${id}`);
    if (body.destinations.every(({ status }: Json) => status === 'published' || status === 'failed'))
      return true;
    await stack.advance(3);
    return null;
  });
  return finalPost(stack, id);
}

test('the Demo profile is connected with tokens of two hours, which are renewed', async () => {
  const { body } = await stack.api('GET', '/integrations');
  const account = body.accounts.find(({ platform }: Json) => platform === 'tiktok');
  expect(account).toMatchObject({ username: 'demo', display_name: 'Demo', active: true, warnings: [] });
  expect(account.scopes).toContain('video.publish');
  const hours = (Date.parse(account.token_expires_at) - Date.parse(account.connected_at)) / 3_600_000;
  expect(hours).toBeCloseTo(2, 1);
});

describe('a post of type', () => {
  test.each<[string, Json, Json]>([
    [
      'video',
      { post_type: 'video', media_urls: ['clip.mp4'], tiktok_allow_comment: true, tiktok_is_aigc: true },
      {
        kind: 'video',
        media: [{ type: 'video/mp4' }],
        fields: { post_info: { disable_comment: false, disable_duet: true, is_aigc: true } },
      },
    ],
    [
      'photo',
      {
        post_type: 'image',
        media_urls: ['photo.jpg', 'photo.png'],
        title: 'Trip',
        tiktok_auto_add_music: true,
        tiktok_disable_comment: false,
      },
      {
        kind: 'photo',
        media: [{ type: 'image/jpeg' }, { type: 'image/jpeg' }],
        fields: { post_info: { title: 'Trip', auto_add_music: true, disable_comment: false } },
      },
    ],
    [
      'draft',
      { post_type: 'image', media_urls: ['photo.jpg'], tiktok_post_mode: 'MEDIA_UPLOAD' },
      { kind: 'draft', fields: { post_mode: 'MEDIA_UPLOAD' } },
    ],
  ])(
    '%s is live with all its fields',
    async (kind, body, expected) => {
      const description = `A ${kind} for TikTok`;
      const media_urls = body.media_urls.map((name: string) => media(stack, name));
      const record = await published(await post({ ...body, description, media_urls }));
      expect(record.destinations).toMatchObject([{ status: 'published', error: null }]);
      const [live] = await liveWith(stack, description, 'tiktok');
      expect(live).toMatchObject(expected);
    },
    TEST_MS,
  );
});

test(
  'a video whose last chunk is answered to nobody is live once',
  async () => {
    const fault = { platform: 'tiktok', method: 'PUT', drop: 'after' };
    await stack.control('POST', '/_control/faults', fault);
    const description = 'Answer lost';
    const media_urls = [media(stack, 'clip.mp4')];
    const record = await published(await post({ post_type: 'video', description, media_urls }));
    expect(record.destinations).toMatchObject([{ status: 'published' }]);
    expect(await liveWith(stack, description, 'tiktok')).toHaveLength(1);
  },
  TEST_MS,
);

test('a level that the account does not have fails with those it has', async () => {
  const body = {
    post_type: 'video',
    media_urls: [media(stack, 'clip.mp4')],
    tiktok_privacy_level: 'FOLLOWER_OF_CREATOR',
  };
  const record = await published(await post({ ...body, description: 'Followers' }));
  expect(record.destinations[0].error).toMatchObject({
    code: 'CONTENT_REJECTED',
    message: expect.stringContaining('PUBLIC_TO_EVERYONE, MUTUAL_FOLLOW_FRIENDS, SELF_ONLY'),
  });
});

test('uploads carry no token, and traffic no secret', async () => {
  const lines = (await traffic(stack)).filter(({ platform }) => platform === 'tiktok');
  expect(lines.length).toBeGreaterThan(10);
  expect(JSON.stringify(lines)).not.toMatch(/\b(?:act|rft)\.[\w-]{20}/);
});
