import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { closeStack, create, eventually, finalPost, isFinal, media, read, traffic } from '../support/e2e.ts';
import { testOrigin, type TestOrigin } from '../support/origin.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Json, TestStack } from '../support/stack.ts';
import { verticalClip } from '../support/vertical-clip.ts';

/** Snapchat through the whole local stack: from the API request to the decrypted file on the public profile. */

const START_MS = 600_000;
const TEST_MS = 600_000;
const DEMO = '2b2e5d52-1c2f-4f05-8d2c-3a1d4e9b7f11';
const STUDIO = '2b2e5d52-1c2f-4f05-8d2c-3a1d4e9b7f12';

let stack: TestStack;
let origin: TestOrigin;
let clip: Buffer;
beforeAll(async () => {
  clip = await verticalClip(7);
  origin = await testOrigin((_, response) => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': clip.length });
    response.end(clip);
  });
  stack = await sharedStack(['snapchat']);
}, START_MS);
afterAll(async () => {
  await origin.close();
  await closeStack(stack);
}, TEST_MS);

/** Publishes a post and returns its destination and what is live under its id. The clock passes Snapchat's processing. */
async function publish(body: Json): Promise<{ destination: Json; live: Json[] }> {
  const id = await create(stack, { platforms: ['snapchat'], ...body });
  await eventually(`post ${id} is final`, 300_000, async () => {
    const { destinations } = await read(stack, id);
    if (destinations.every(isFinal)) return true;
    await stack.advance(5);
    return null;
  });
  const [destination] = (await finalPost(stack, id)).destinations;
  const { body: published } = await stack.control('GET', '/_control/published');
  const isLive = (each: Json) => each.platform_post_id === destination.platform_post_id;
  return { destination, live: published.items.filter(isLive) };
}

const photo = () => ({ post_type: 'image', media_urls: [media(stack, 'photo.jpg')] });
const video = () => ({ post_type: 'video', media_urls: [`${origin.url}/clip.mp4`] });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test('the public profiles of the account are its targets', async () => {
  const { body } = await stack.api('GET', '/integrations/snapchat/targets?profile_name=Demo');
  expect(body.targets.map(({ name }: Json) => name)).toEqual(['Demo Profile', 'Demo Studio']);
});

describe('a post', () => {
  test.each<[string, () => Json, () => Json]>([
    [
      'as a story',
      () => ({ ...photo(), description: 'Shown nowhere' }),
      () => ({ kind: 'story', account: DEMO, text: null, media: [{ type: 'image/jpeg' }] }),
    ],
    [
      'as a saved story',
      () => ({
        ...photo(),
        snapchat_post_type: 'saved_story',
        snapchat_saved_story_title: 'Behind the scenes',
      }),
      () => ({ kind: 'saved_story', title: 'Behind the scenes' }),
    ],
    [
      'in Spotlight',
      () => ({
        ...video(),
        description: 'A long text for all platforms. '.repeat(10),
        snapchat_post_type: 'spotlight',
        snapchat_description: 'Short #topic',
        snapchat_locale: 'de-DE',
        snapchat_skip_save_to_profile: true,
      }),
      () => ({
        kind: 'spotlight',
        text: 'Short #topic',
        fields: { locale: 'de_DE', skip_save_to_profile: true },
        media: [{ type: 'video/mp4', sha256: sha256(clip) }],
      }),
    ],
  ])(
    '%s arrives decrypted, with all its fields',
    async (_, body, expected) => {
      const { destination, live } = await publish(body());
      expect(destination).toMatchObject({ status: 'published', error: null });
      expect(live).toMatchObject([{ ...expected(), platform_post_url: destination.platform_post_url }]);
    },
    TEST_MS,
  );

  test(
    'goes to the default target',
    async () => {
      const { body } = await stack.api('GET', '/integrations');
      const { id } = body.accounts.find(({ platform }: Json) => platform === 'snapchat');
      const choose = (default_target_id: string | null) =>
        stack.api('PATCH', `/integrations/${id}`, { default_target_id });
      expect((await choose(STUDIO)).status).toBe(200);
      const { destination, live } = await publish(photo());
      expect(live).toMatchObject([{ account: STUDIO }]);
      expect(destination.platform_post_url).toBe('https://www.snapchat.com/add/demo_studio');
      await choose(null);
    },
    TEST_MS,
  );
});

describe('a lost response', () => {
  const lose = (path: string) =>
    stack.control('POST', '/_control/faults', { platform: 'snapchat', method: 'POST', path, drop: 'after' });

  test(
    'of a saved story leads to one, found in the list',
    async () => {
      await stack.control('POST', '/_control/accounts', {
        platform: 'snapchat',
        account: 'demo',
        processing_calls: 0,
      });
      await lose('/saved_stories$');
      const title = { snapchat_post_type: 'saved_story', snapchat_saved_story_title: 'Lost' };
      const { destination, live } = await publish({ ...photo(), ...title });
      expect(destination).toMatchObject({ status: 'published', error: null });
      expect(live).toMatchObject([{ title: 'Lost' }]);
    },
    TEST_MS,
  );

  test(
    'of a story is reported as unknown instead of posting twice',
    async () => {
      await lose('/stories$');
      const { destination } = await publish(photo());
      expect(destination).toMatchObject({ status: 'failed', error: { code: 'DELIVERY_UNKNOWN' } });
    },
    TEST_MS,
  );
});

test('the key of the media is masked in the recorded traffic', async () => {
  const created = (await traffic(stack)).filter(
    ({ platform, url }) => platform === 'snapchat' && url.endsWith('/media'),
  );
  expect(created.length).toBeGreaterThan(0);
  for (const { body } of created) expect(body).toMatchObject({ key: '***', iv: '***' });
});
