import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { closeStack, create, eventually, finalPost, isFinal, liveWith, media, read } from '../support/e2e.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Json, TestStack } from '../support/stack.ts';

/* Google Business Profile through the whole local stack: connected on Google's page, published at a location. */

const START_MS = 600_000;
const TEST_MS = 600_000;
const LOCATION = '12341542785316514841';

let stack: TestStack;
beforeAll(async () => void (stack = await sharedStack(['gbp'])), START_MS);
afterAll(() => closeStack(stack));

/** Advances the clock until the review of the post has ended. */
const reviewed = (id: string): Promise<Json> =>
  eventually(`post ${id} is reviewed`, 300_000, async () => {
    const post = await read(stack, id);
    const [{ follow_ups, ...destination }] = post.destinations;
    if (isFinal(destination) && follow_ups.every(({ status }: Json) => status !== 'pending')) return post;
    await stack.advance(60);
    return null;
  });

test('the only location of the Demo account is its target', async () => {
  const { body } = await stack.api('GET', '/integrations/gbp/targets?profile_name=Demo');
  expect(body).toMatchObject({ total: 1, targets: [{ id: LOCATION, name: 'Corner Bakery' }] });
});

describe('a post', () => {
  test.each<[string, Json, Json]>([
    [
      'text with a button',
      { gbp_cta_type: 'LEARN_MORE', gbp_cta_url: 'https://example.com/' },
      {
        kind: 'text',
        fields: {
          topicType: 'STANDARD',
          callToAction: { actionType: 'LEARN_MORE', url: 'https://example.com/' },
        },
      },
    ],
    [
      'image for an event',
      {
        post_type: 'image',
        media_urls: ['photo.jpg'],
        gbp_topic_type: 'EVENT',
        gbp_event_title: 'Tasting',
        gbp_event_start_date: '2099-10-31',
        gbp_event_start_time: '09:00',
        gbp_event_end_time: '17:00',
        gbp_location_id: `locations/${LOCATION}`,
        gbp_cta_type: 'CALL',
      },
      {
        kind: 'image',
        media: [{ type: 'image/jpeg' }],
        fields: {
          topicType: 'EVENT',
          callToAction: { actionType: 'CALL' },
          event: { title: 'Tasting', schedule: { startDate: { year: 2099, month: 10, day: 31 } } },
        },
      },
    ],
    [
      'offer',
      {
        title: 'Sale',
        gbp_topic_type: 'OFFER',
        gbp_coupon_code: 'BREAD10',
        gbp_redeem_url: 'https://example.com/offer',
        gbp_terms: 'One per person.',
      },
      {
        fields: {
          topicType: 'OFFER',
          event: { title: 'Sale' },
          offer: {
            couponCode: 'BREAD10',
            redeemOnlineUrl: 'https://example.com/offer',
            termsConditions: 'One per person.',
          },
        },
      },
    ],
  ])(
    'of a kind is live with all its fields: %s',
    async (kind, { media_urls = [], ...body }, expected) => {
      const description = `Google: ${kind}`;
      const id = await create(stack, {
        platforms: ['gbp'],
        description,
        media_urls: media_urls.map((name: string) => media(stack, name)),
        ...body,
      });
      const post = await finalPost(stack, id);
      const [live] = await liveWith(stack, description, 'gbp');
      expect(live).toMatchObject(expected);
      expect(post.destinations).toMatchObject([
        { error: null, platform_post_id: live!.platform_post_id, platform_post_url: expect.any(String) },
      ]);
    },
    TEST_MS,
  );

  test(
    'with a video goes to the gallery, and its text becomes the post',
    async () => {
      const description = 'How we bake';
      const id = await create(stack, {
        platforms: ['gbp'],
        post_type: 'video',
        media_urls: [media(stack, 'clip.mp4')],
        description,
        title: 'Our oven',
      });
      const post = await reviewed(id);
      const [text] = await liveWith(stack, description, 'gbp');
      const [video] = await liveWith(stack, 'Our oven', 'gbp');
      expect([text, video]).toMatchObject([{ kind: 'text' }, { kind: 'video' }]);
      expect(post.destinations).toMatchObject([
        {
          status: 'published',
          platform_post_id: text!.platform_post_id,
          follow_ups: [
            { name: 'review', status: 'done' },
            { name: 'text_post', status: 'done' },
          ],
        },
      ]);
    },
    TEST_MS,
  );

  test(
    'with a phone number has a warning, and fails when Google rejects it afterwards',
    async () => {
      await stack.control('POST', '/_control/processing', { platform: 'gbp', seconds: 10 });
      const body = { platforms: ['gbp'], description: 'Call (650) 555-0100', post_type: 'text' };
      const created = await stack.api('POST', '/posts', { ...body, profile_name: 'Demo' });
      expect(created.body.warnings).toMatchObject([
        { code: 'MAY_BE_REJECTED', field: 'description', platform: 'gbp' },
      ]);
      const post = await reviewed(created.body.post_id);
      expect(post.destinations).toMatchObject([{ status: 'failed', error: { code: 'CONTENT_REJECTED' } }]);
      await stack.control('POST', '/_control/processing', { platform: 'gbp', seconds: 0 });
    },
    TEST_MS,
  );
});

test(
  'a post whose response is lost is live once',
  async () => {
    const fault = { platform: 'gbp', method: 'POST', path: '/localPosts$', drop: 'after' };
    await stack.control('POST', '/_control/faults', fault);
    const description = 'Answer lost';
    const id = await create(stack, { platforms: ['gbp'], description });
    const post = await reviewed(id);
    const live = await liveWith(stack, description, 'gbp');
    expect(live.map(({ platform_post_id }) => platform_post_id)).toEqual([
      post.destinations[0].platform_post_id,
    ]);
  },
  TEST_MS,
);
