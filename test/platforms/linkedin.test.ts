import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { closeStack, create, eventually, finalPost, liveWith, media, read } from '../support/e2e.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Json, TestStack } from '../support/stack.ts';

/** LinkedIn through the whole local stack: every field from the API to the sandbox's record. */

const START_MS = 600_000;
const TEST_MS = 600_000;
const PAGE = 'urn:li:organization:2414183';
const PERSON = 'urn:li:person:782bbtaQ';

let stack: TestStack;
beforeAll(async () => void (stack = await sharedStack(['linkedin'])), START_MS);
afterAll(() => closeStack(stack));

async function publish(body: Json): Promise<{ destination: Json; live: Json }> {
  const id = await create(stack, { platforms: ['linkedin'], ...body });
  const [destination] = (await finalPost(stack, id)).destinations;
  expect(destination).toMatchObject({ status: 'published', error: null });
  const shown = body.shown ?? body.description;
  const [live, ...others] = await liveWith(stack, shown, 'linkedin');
  expect(others).toEqual([]);
  expect([destination.platform_post_id, destination.platform_post_url]).toEqual([
    live?.platform_post_id,
    live?.platform_post_url,
  ]);
  return { destination, live };
}

describe('a post', () => {
  test.each([
    [
      'text of the member',
      { description: 'Text (v2) #one', linkedin_visibility: 'CONNECTIONS', linkedin_disable_reshare: true },
      {
        kind: 'text',
        fields: { author: PERSON, visibility: 'CONNECTIONS', isReshareDisabledByAuthor: true },
      },
    ],
    [
      'text of an organization',
      {
        description: 'From a page',
        linkedin_page_id: '2414183',
        linkedin_description: 'From *the* page',
        shown: 'From *the* page',
      },
      { kind: 'text', fields: { author: PAGE, commentary: String.raw`From \*the\* page` } },
    ],
    [
      'images',
      {
        post_type: 'image',
        media: ['photo.jpg', 'photo.png'],
        description: 'Two images',
        linkedin_page_id: PAGE,
      },
      { kind: 'image', media: [{ type: 'image/jpeg' }, { type: 'image/png' }] },
    ],
    [
      'a GIF',
      { post_type: 'image', media: ['anim.gif'], description: 'A GIF' },
      { kind: 'image', media: [{ type: 'image/gif' }] },
    ],
    [
      'a document',
      { post_type: 'document', media: ['doc.pdf'], description: 'A deck', title: 'Deck' },
      { kind: 'document', title: 'Deck', media: [{ type: 'application/pdf' }] },
    ],
  ])(
    'with %s reaches LinkedIn with all its fields',
    async (_, { media: names, shown, ...body }: Json, expected) => {
      const urls = names && { media_urls: names.map((name: string) => media(stack, name)) };
      const { live } = await publish({ ...body, ...urls, ...(shown && { shown }) });
      expect(live).toMatchObject(expected);
    },
    TEST_MS,
  );

  test(
    'gets its first comment as plain text',
    async () => {
      const { destination } = await publish({ description: 'Commented', first_comment: 'See (v2) #x' });
      const post = await eventually('the comment is there', 300_000, async () => {
        const [found] = await liveWith(stack, 'Commented', 'linkedin');
        return (found as Json).comments.length > 0 ? (found as Json) : null;
      });
      expect(post.comments).toEqual([{ id: expect.any(String), text: 'See (v2) #x' }]);
      expect(destination.platform_post_id).toMatch(/^urn:li:share:/);
    },
    TEST_MS,
  );

  test(
    'whose response was lost is published once for an organization, and unknown for a member',
    async () => {
      const losing = { platform: 'linkedin', path: '^/rest/posts$', method: 'POST', drop: 'after', times: 1 };
      const lost = async (body: Json) => {
        await stack.control('POST', '/_control/faults', losing);
        const id = await create(stack, { platforms: ['linkedin'], ...body });
        await eventually('the response is lost', 300_000, async () =>
          (await liveWith(stack, body.description, 'linkedin')).length > 0 ? true : null,
        );
        await stack.until('the post is final', async () => {
          await stack.advance(60);
          const { destinations } = await read(stack, id);
          return ['published', 'failed'].includes(destinations[0].status);
        });
        expect(await liveWith(stack, body.description, 'linkedin')).toHaveLength(1);
        return (await read(stack, id)).destinations[0];
      };
      expect(await lost({ description: 'Lost by a page', linkedin_page_id: PAGE })).toMatchObject({
        status: 'published',
      });
      expect(await lost({ description: 'Lost by a member' })).toMatchObject({
        status: 'failed',
        error: { code: 'DELIVERY_UNKNOWN' },
      });
    },
    TEST_MS,
  );
});

describe('the account', () => {
  test('has the organizations that the member may post for as targets', async () => {
    const { body } = await stack.api('GET', '/integrations/linkedin/targets?profile_name=Demo');
    expect(body.targets.map(({ name }: Json) => name)).toEqual(['Demo Company', 'Demo Studio', '2414185']);
  });

  test('of an organization must not be restricted', async () => {
    const { status, body } = await stack.api('POST', '/posts', {
      profile_name: 'Demo',
      post_type: 'text',
      platforms: ['linkedin'],
      description: 'x',
      linkedin_page_id: '2414183',
      linkedin_visibility: 'CONNECTIONS',
    });
    expect([status, body.details]).toEqual([
      400,
      [expect.objectContaining({ field: 'linkedin_visibility' })],
    ]);
  });

  test(
    'can be connected with a self-serve app of the workspace, which names what it cannot do',
    async () => {
      const app = { client_id: 'sandbox-linkedin-client', client_secret: 'sandbox-linkedin-secret' };
      const wrong = await stack.api('PUT', '/workspace/platform-apps/linkedin', { ...app, kind: 'other' });
      expect(wrong.status).toBe(400);
      const { body } = await stack.api('PUT', '/workspace/platform-apps/linkedin', {
        ...app,
        kind: 'self_serve',
      });
      expect(body.platform_app.fields).toEqual({ kind: 'self_serve' });
      await stack.api('POST', '/agency/profiles', { username: 'Selfserve' });
      const consent = await stack.api('POST', '/integrations/linkedin/connect', {
        profile_name: 'Selfserve',
      });
      const page = await fetch(`${consent.body.authorize_url}&auto=allow`, { redirect: 'manual' });
      await fetch(page.headers.get('location')!, { redirect: 'manual' });
      const post = {
        post_type: 'text',
        platforms: ['linkedin'],
        profile_name: 'Selfserve',
        description: 'Self',
      };
      const refused = await stack.api('POST', '/posts', { ...post, linkedin_page_id: '2414183' });
      expect(refused.body.details).toEqual([
        expect.objectContaining({
          field: 'linkedin_page_id',
          message: expect.stringContaining('Community Management API'),
        }),
      ]);
      const accepted = await stack.api('POST', '/posts', post);
      const done = await finalPost(stack, accepted.body.post_id);
      expect(done.destinations[0].status).toBe('published');
    },
    TEST_MS,
  );
});
