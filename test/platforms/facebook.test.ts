import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  closeStack,
  create,
  eventually,
  finalPost,
  lastSeq,
  liveWith,
  media,
  read,
  traffic,
} from '../support/e2e.ts';
import { testOrigin, type TestOrigin } from '../support/origin.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Json, TestStack } from '../support/stack.ts';
import { verticalClip } from '../support/vertical-clip.ts';

/** Facebook through the whole stack: from the API request to the Page. */

const START_MS = 600_000;
const TEST_MS = 600_000;
const PAGE = '102938475610293';
const CODE_2 = { error: { code: 2, type: 'OAuthException', message: 'Service temporarily unavailable' } };

let stack: TestStack;
let origin: TestOrigin | undefined;
beforeAll(async () => {
  stack = await sharedStack(['facebook']);
  const clip = await verticalClip(4);
  origin = await testOrigin((_, response) => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': clip.length });
    response.end(clip);
  });
}, START_MS);
afterAll(async () => {
  await origin?.close();
  await closeStack(stack);
}, TEST_MS);

/** Publishes a post of the Demo profile and returns its destination and the live post. */
async function publish(body: Json): Promise<{ destination: Json; live: Json }> {
  const id = await create(stack, { platforms: ['facebook'], ...body });
  const post = await finalPost(stack, id);
  const live = await liveWith(stack, body.description, 'facebook');
  expect([post.destinations[0].error, live.length]).toEqual([null, 1]);
  expect(post.destinations[0]).toMatchObject({
    status: 'published',
    platform_post_id: live[0]!.platform_post_id,
    platform_post_url: live[0]!.platform_post_url,
  });
  return { destination: post.destinations[0], live: live[0] };
}

describe('a post of the Demo profile', () => {
  test(
    'is published on the only Page of the account, and commented on',
    async () => {
      const { live } = await publish({
        description: 'A text with https://example.com/page',
        first_comment: 'First!',
      });
      expect(live).toMatchObject({ account: PAGE, fields: { link: 'https://example.com/page' } });
      await eventually('the comment is live', 30_000, async () => {
        const [post] = await liveWith(stack, 'A text with https://example.com/page', 'facebook');
        return (post as Json).comments.length === 1 ? post : null;
      });
    },
    TEST_MS,
  );

  test(
    'has photos, a video or a Reel',
    async () => {
      const photo = media(stack, 'photo.jpg');
      const [one, two, video, reel] = await Promise.all([
        publish({
          post_type: 'image',
          description: 'One photo',
          media_urls: [photo],
        }),
        publish({
          post_type: 'image',
          description: 'Two photos',
          media_urls: [photo, media(stack, 'alpha.png')],
        }),
        publish({
          post_type: 'video',
          description: 'A video',
          title: 'Title',
          media_urls: [media(stack, 'clip.mp4')],
        }),
        publish({
          post_type: 'video',
          description: 'A Reel',
          media_urls: [`${origin!.url}/reel.mp4`],
          facebook_media_type: 'REELS',
        }),
      ]);
      expect(one.live).toMatchObject({ kind: 'image', fields: { caption: 'One photo' } });
      expect(two.live).toMatchObject({
        kind: 'album',
        media: [{ type: 'image/jpeg' }, { type: 'image/png' }],
      });
      expect(video.live).toMatchObject({ kind: 'video', fields: { title: 'Title' } });
      expect(reel.live).toMatchObject({ kind: 'reel', media: [{ width: 544, height: 960 }] });
    },
    TEST_MS,
  );

  test(
    'has the text, the media and the Page that are meant for Facebook',
    async () => {
      const id = await create(stack, {
        post_type: 'image',
        platforms: ['facebook'],
        description: 'For all',
        media_urls: [media(stack, 'photo.jpg')],
        facebook_description: 'For Facebook',
        facebook_media_urls: [media(stack, 'alpha.png')],
        facebook_page_id: PAGE,
      });
      await finalPost(stack, id);
      expect(await liveWith(stack, 'For Facebook', 'facebook')).toMatchObject([
        { account: PAGE, media: [{ type: 'image/png' }] },
      ]);
    },
    TEST_MS,
  );

  test(
    'is live once when Facebook answers 500 and publishes all the same',
    async () => {
      await stack.control('POST', '/_control/accounts', {
        platform: 'facebook',
        account: 'app',
        feed_delay_ms: 90_000,
      });
      const respond = { status: 500, body: CODE_2, taken: true };
      await stack.control('POST', '/_control/faults', {
        platform: 'facebook',
        path: '/feed',
        method: 'POST',
        respond,
      });
      const since = await lastSeq(stack);
      const id = await create(stack, { platforms: ['facebook'], description: 'A lost response' });
      const post = await eventually('the post is found', 300_000, async () => {
        const { destinations } = await read(stack, id);
        if (destinations[0].status === 'published' || destinations[0].status === 'failed')
          return destinations[0];
        await stack.advance(20);
        return null;
      });
      expect(post).toMatchObject({ status: 'published', error: null });
      expect(await liveWith(stack, 'A lost response', 'facebook')).toHaveLength(1);
      const sent = (await traffic(stack, since)).filter(
        ({ method, url }) => method === 'POST' && /\/feed/.test(url),
      );
      expect(sent).toHaveLength(1);
    },
    TEST_MS,
  );
});

/** Connects a new profile as this user, as a browser does. Returns the callback's response. */
async function connectAs(profile_name: string, user: string): Promise<{ status: number; body: Json }> {
  await stack.api('POST', '/agency/profiles', { username: profile_name });
  const { body } = await stack.api('POST', '/integrations/facebook/connect', { profile_name });
  const page = new URL(body.authorize_url);
  page.searchParams.set('auto', 'allow');
  page.searchParams.set('as', user);
  const consent = await fetch(page, { redirect: 'manual' });
  const callback = await fetch(consent.headers.get('location')!);
  return { status: callback.status, body: await callback.json() };
}

test(
  'a post of an account with several Pages is refused until one is chosen',
  async () => {
    const { body } = await connectAs('Several Pages', 'demo_pages');
    expect(body.account).toMatchObject({ platform: 'facebook', needs_target: true });
    const post = {
      post_type: 'text',
      profile_name: 'Several Pages',
      platforms: ['facebook'],
      description: 'Where?',
    };
    const refused = await stack.api('POST', '/posts', post);
    expect(refused).toMatchObject({
      status: 400,
      body: { details: [{ field: 'platforms', platform: 'facebook' }] },
    });

    const { body: listed } = await stack.api(
      'GET',
      '/integrations/facebook/targets?profile_name=Several%20Pages',
    );
    expect(listed.targets.map(({ name }: Json) => name)).toEqual(['Demo Page', 'Business Page']);
    const business = listed.targets[1].id;
    const chosen = await stack.api('PATCH', `/integrations/${body.account.id}`, {
      default_target_id: business,
    });
    expect(chosen.body.account).toMatchObject({ needs_target: false });
    const created = await stack.api('POST', '/posts', post);
    await finalPost(stack, created.body.post_id);
    expect(await liveWith(stack, 'Where?', 'facebook')).toMatchObject([{ account: business }]);
  },
  TEST_MS,
);

test('an account without a Page is not connected, and the reason is told', async () => {
  const { status, body } = await connectAs('No Page', 'demo_none');
  expect([status, body]).toEqual([
    400,
    {
      status: 'failed',
      reason: 'permission_missing',
      message: expect.stringContaining('manages no Facebook Page'),
    },
  ]);
});
