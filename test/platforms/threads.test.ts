import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { closeStack, create, eventually, finalPost, liveWith, media, traffic } from '../support/e2e.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Json, TestStack } from '../support/stack.ts';

/* Threads through the whole local stack: connected on the login page, published, measured. */

const TEST_MS = 600_000;

let stack: TestStack;
beforeAll(async () => void (stack = await sharedStack(['threads'])), 150_000);
afterAll(() => closeStack(stack));

const post = (body: Json) => create(stack, { platforms: ['threads'], ...body });

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

test('the Demo profile is connected for 60 days', async () => {
  const { body } = await stack.api('GET', '/integrations');
  const account = body.accounts.find(({ platform }: Json) => platform === 'threads');
  expect(account).toMatchObject({
    platform_user_id: '9876543210987654',
    username: 'demo',
    active: true,
    needs_reconnect: false,
    scopes: ['threads_basic', 'threads_content_publish', 'threads_manage_insights'],
  });
  const days = (Date.parse(account.token_expires_at) - Date.parse(account.connected_at)) / 86_400_000;
  expect(days).toBeGreaterThan(59);
});

describe('a post of type', () => {
  const options = { threads_topic_tag: '#Books', threads_reply_control: 'accounts_you_follow' };
  test.each<[string, Json, Json]>([
    ['text', { post_type: 'text' }, { kind: 'text', media: [] }],
    [
      'image',
      { post_type: 'image', media_urls: ['photo.jpg'], media_alt_texts: ['A photo'] },
      { kind: 'image', media: [{ type: 'image/jpeg' }], fields: { alt_text: 'A photo' } },
    ],
    [
      'video',
      { post_type: 'video', media_urls: ['clip.mp4'], threads_alt_text: 'A clip' },
      { kind: 'video', media: [{ type: 'video/mp4' }], fields: { alt_text: 'A clip' } },
    ],
    [
      'carousel',
      { post_type: 'image', media_urls: ['photo.jpg', 'photo.png'], media_alt_texts: ['One', 'Two'] },
      { kind: 'album', media: [{}, {}], fields: { alt_texts: ['One', 'Two'] } },
    ],
  ])(
    '%s is live with all its fields',
    async (kind, body, expected) => {
      const description = `A ${kind} for Threads`;
      const media_urls = body.media_urls?.map((name: string) => media(stack, name));
      const id = await post({ ...body, ...options, description, ...(media_urls && { media_urls }) });
      const record = await published(id);
      const [live] = await liveWith(stack, description, 'threads');
      expect(live).toMatchObject({
        ...expected,
        fields: { topic: 'Books', reply_control: 'accounts_you_follow', ...expected.fields },
      });
      expect(record).toMatchObject({
        status: 'published',
        destinations: [
          {
            platform_post_id: live!.platform_post_id,
            platform_post_url: live!.platform_post_url,
            error: null,
          },
        ],
      });
    },
    TEST_MS,
  );
});

/** A post that is not prepared ahead is at least this late. */
const PROCESSING_S = 40;

test(
  'a scheduled post is prepared ahead and published at its time',
  async () => {
    await stack.control('POST', '/_control/processing', { platform: 'threads', seconds: PROCESSING_S });
    const due = (await stack.now()) + 300_000;
    const description = 'Prepared ahead';
    await post({
      post_type: 'image',
      description,
      media_urls: [media(stack, 'photo.jpg')],
      scheduled_date: new Date(due).toISOString(),
    });
    const [live] = await eventually('the post is live', 300_000, async () => {
      const found = await liveWith(stack, description, 'threads');
      if (found.length > 0) return found;
      await stack.advance(5);
      return null;
    });
    const late = Date.parse(live!.published_at) - due;
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(PROCESSING_S * 1000);
    await stack.control('POST', '/_control/processing', { platform: 'threads' });
  },
  TEST_MS,
);

test(
  'a publish request whose response is lost is live once',
  async () => {
    const fault = { platform: 'threads', path: 'threads_publish', drop: 'after' };
    await stack.control('POST', '/_control/faults', fault);
    const description = 'Answer lost';
    const record = await published(await post({ post_type: 'text', description }));
    const live = await liveWith(stack, description, 'threads');
    expect(live.map(({ platform_post_id }) => platform_post_id)).toEqual([
      record.destinations[0].platform_post_id,
    ]);
  },
  TEST_MS,
);

test('only token endpoints get the token in their address, where they are documented with it', async () => {
  const urls = (await traffic(stack)).filter(({ platform }) => platform === 'threads').map(({ url }) => url);
  expect(urls.length).toBeGreaterThan(10);
  const withToken = urls.filter(url => /[?&]access_token=/.test(url)).map(url => new URL(url).pathname);
  expect(withToken.filter(path => !/^\/(?:refresh_)?access_token$/.test(path))).toEqual([]);
});
