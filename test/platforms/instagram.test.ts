import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { closeStack, create, eventually, finalPost, liveWith, media, read, traffic } from '../support/e2e.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Json, TestStack } from '../support/stack.ts';

/* Instagram through the whole stack: from the API to the containers, and back as the post's record. */

const START_MS = 600_000;
const TEST_MS = 600_000;

let stack: TestStack;
beforeAll(async () => {
  stack = await sharedStack(['instagram']);
}, START_MS);
afterAll(() => closeStack(stack));

const post = (body: Json) => create(stack, { platforms: ['instagram'], post_type: 'image', ...body });
const destination = ({ destinations: [each] }: Json): Json => each;

/** Waits until the follow-ups of a published post are done. */
const followedUp = (id: string) =>
  eventually(`the follow-ups of ${id} are done`, 300_000, async () => {
    const found = destination(await read(stack, id));
    return found.follow_ups.every(({ status }: Json) => status === 'done') ? found : null;
  });

describe('a post', () => {
  test(
    'with images is a carousel of JPEGs with a first comment',
    async () => {
      const description = 'A carousel for @demo #news';
      const id = await post({
        description,
        media_urls: [media(stack, 'photo.png'), media(stack, 'photo.jpg')],
        media_alt_texts: ['A landscape', null],
        first_comment: 'The first comment',
        instagram_collaborators: 'friend',
        instagram_user_tags: 'natgeo',
        instagram_location_id: '7640348500',
      });
      expect(destination(await finalPost(stack, id))).toMatchObject({ status: 'published', error: null });
      const record = await followedUp(id);
      const [live, ...others] = await liveWith(stack, description, 'instagram');
      expect(others).toEqual([]);
      expect(record).toMatchObject({
        platform_post_id: live!.platform_post_id,
        platform_post_url: live!.platform_post_url,
        first_comment: { status: 'published' },
      });
      expect(live).toMatchObject({
        kind: 'carousel_album',
        media: [{ type: 'image/jpeg' }, { type: 'image/jpeg' }],
        comments: [{ text: 'The first comment' }],
        fields: {
          caption: description,
          collaborators: '["friend"]',
          location_id: '7640348500',
          children_fields: [
            { alt_text: 'A landscape', user_tags: '[{"username":"natgeo","x":0.5,"y":0.5}]' },
            expect.not.objectContaining({ alt_text: expect.anything() }),
          ],
        },
      });
    },
    TEST_MS,
  );

  test(
    'with a video is a Reel, and its containers exist before its time',
    async () => {
      const due = Math.ceil((await stack.now()) / 1000) * 1000 + 80_000;
      const description = 'A Reel, prepared ahead';
      const id = await post({
        description,
        post_type: 'video',
        media_urls: [media(stack, 'clip.mp4')],
        instagram_cover_url: media(stack, 'photo.png'),
        instagram_share_to_feed: false,
        scheduled_date: new Date(due).toISOString(),
      });
      await eventually('the container exists', 300_000, async () =>
        (await traffic(stack)).some(
          ({ url, body }) => /\/media(?:\?|$)/.test(url) && body?.caption === description,
        )
          ? true
          : null,
      );
      expect(await liveWith(stack, description, 'instagram')).toEqual([]);
      await stack.advance((due - (await stack.now())) / 1000 - 2);
      await finalPost(stack, id);
      const [live] = await liveWith(stack, description, 'instagram');
      expect(live).toMatchObject({
        kind: 'reels',
        fields: { share_to_feed: 'false', cover_url: expect.any(String) },
      });
      expect(Date.parse(live!.published_at)).toBeGreaterThanOrEqual(due);
    },
    TEST_MS,
  );

  test(
    'whose publishing response was lost is live once',
    async () => {
      const path = 'media_publish';
      await stack.control('POST', '/_control/faults', { platform: 'instagram', path, drop: 'after' });
      const description = 'Lost and found';
      const id = await post({ description, media_urls: [media(stack, 'photo.jpg')] });
      const record = await eventually('the post is published', 300_000, async () => {
        await stack.advance(30);
        const found = destination(await read(stack, id));
        return found.status === 'published' ? found : null;
      });
      const live = await liveWith(stack, description, 'instagram');
      expect(live.map(each => each.platform_post_id)).toEqual([record.platform_post_id]);
    },
    TEST_MS,
  );

  test(
    'over the limit that Instagram announces waits, and further posts are answered with its reset time',
    async () => {
      await stack.control('POST', '/_control/limits', {
        platform: 'instagram',
        quota_total: 25,
        quota_used: 25,
      });
      const media_urls = [media(stack, 'photo.jpg')];
      const id = await post({ description: 'Too many', media_urls });
      await eventually('the post waits', 300_000, async () => {
        const { status, error } = destination(await read(stack, id));
        return status === 'retrying' && error.code === 'PLATFORM_RATE_LIMIT' ? true : null;
      });
      const refused = await stack.api('POST', '/posts', {
        profile_name: 'Demo',
        post_type: 'image',
        platforms: ['instagram'],
        description: 'One more',
        media_urls,
      });
      expect(refused).toMatchObject({
        status: 429,
        body: {
          code: 'PLATFORM_RATE_LIMIT',
          platform: 'instagram',
          limit: 25,
          resets_at: expect.any(String),
        },
      });
      await stack.control('POST', '/_control/limits', { platform: 'instagram' });
      await stack.advance(3600);
      expect(destination(await finalPost(stack, id))).toMatchObject({ status: 'published' });
    },
    TEST_MS,
  );
});

test(
  'an account is connected by Facebook Login too, and publishes through its Page',
  async () => {
    const connect = { profile_name: 'Demo', way: 'facebook' };
    const { status, body } = await stack.api('POST', '/integrations/instagram/connect', connect);
    expect(status).toBe(200);
    const consent = await fetch(`${body.authorize_url}&auto=allow`, { redirect: 'manual' });
    const callback = await fetch(consent.headers.get('location')!, { redirect: 'manual' });
    expect(callback.status).toBe(200);
    const accounts: Json[] = (await stack.api('GET', '/integrations')).body.accounts;
    const account = accounts.find(({ platform }) => platform === 'instagram');
    expect(account).toMatchObject({ display_name: 'Demo User', needs_reconnect: false });
    const { targets } = (await stack.api('GET', '/integrations/instagram/targets?profile_name=Demo')).body;
    expect(targets).toEqual([{ id: '17841400000000001', name: '@demo', is_default: true }]);

    const description = 'Through the Page';
    const id = await post({ description, media_urls: [media(stack, 'photo.jpg')] });
    expect(destination(await finalPost(stack, id))).toMatchObject({ status: 'published' });
    expect(await liveWith(stack, description, 'instagram')).toHaveLength(1);
    const hosts = (await traffic(stack))
      .filter(({ url }) => url.includes('media_publish'))
      .map(({ url }) => new URL(url).host);
    expect(hosts.at(-1)).toBe('graph.facebook.com');
  },
  TEST_MS,
);
