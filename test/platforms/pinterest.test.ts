import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { closeStack, create, eventually, finalPost, liveWith, media } from '../support/e2e.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Json, TestStack } from '../support/stack.ts';

/* Pinterest through the whole local stack: connected on the consent page, boards looked up, Pins published. */

const TEST_MS = 600_000;

let stack: TestStack;
let boards: Json[];
beforeAll(async () => {
  stack = await sharedStack(['pinterest']);
  const { body } = await stack.api('GET', '/integrations/pinterest/boards?profile_name=Demo');
  boards = body.boards;
});
afterAll(() => closeStack(stack));

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

test('boards and sections of the Demo account are listed', async () => {
  expect(boards).toMatchObject([
    { name: 'Summer recipes', privacy: 'PUBLIC', pin_count: 5 },
    { name: 'Board 2' },
    { name: 'Board 3' },
  ]);
  const sections = await stack.api(
    'GET',
    `/integrations/pinterest/board-sections?profile_name=Demo&board_id=${boards[0].board_id}`,
  );
  expect(sections).toMatchObject({ status: 200, body: { sections: [{ name: 'Salads' }], total: 1 } });
  const targets = await stack.api('GET', '/integrations/pinterest/targets?profile_name=Demo');
  expect(targets.body.total).toBe(3);
});

describe('a post of type', () => {
  test.each<[string, Json, Json]>([
    [
      'image',
      { post_type: 'image', media_urls: ['photo.jpg'], pinterest_alt_text: 'A photo' },
      { kind: 'image', media: [{ type: 'image/jpeg' }], fields: { alt_text: 'A photo' } },
    ],
    [
      'carousel',
      { post_type: 'image', media_urls: ['photo.jpg', 'photo.png'] },
      { kind: 'album', media: [{}, {}] },
    ],
    [
      'video',
      { post_type: 'video', media_urls: ['clip.mp4'] },
      { kind: 'video', media: [{ type: 'video/mp4' }] },
    ],
  ])(
    '%s is live with all its fields',
    async (kind, body, expected) => {
      const description = `A ${kind} for Pinterest`;
      const id = await create(stack, {
        ...body,
        platforms: ['pinterest'],
        media_urls: body.media_urls.map((name: string) => media(stack, name)),
        description,
        title: 'My Pin',
        pinterest_board_id: boards[1].board_id,
        pinterest_link: 'https://www.example.com/page',
      });
      const record = await published(id);
      const [live] = await liveWith(stack, description, 'pinterest');
      expect(live).toMatchObject({
        ...expected,
        title: 'My Pin',
        fields: { board_id: boards[1].board_id, link: 'https://www.example.com/page', ...expected.fields },
      });
      expect(record.destinations).toMatchObject([
        { platform_post_id: live!.platform_post_id, platform_post_url: live!.platform_post_url, error: null },
      ]);
    },
    TEST_MS,
  );
});

test(
  'a Pin whose response is lost is live once',
  async () => {
    const fault = { platform: 'pinterest', method: 'POST', path: '^/v5/pins$', drop: 'after' };
    await stack.control('POST', '/_control/faults', fault);
    const description = 'Answer lost';
    const id = await create(stack, {
      platforms: ['pinterest'],
      post_type: 'image',
      media_urls: [media(stack, 'photo.jpg')],
      description,
      pinterest_board_id: boards[0].board_id,
    });
    const record = await published(id);
    const live = await liveWith(stack, description, 'pinterest');
    expect(live.map(({ platform_post_id }) => platform_post_id)).toEqual([
      record.destinations[0].platform_post_id,
    ]);
  },
  TEST_MS,
);
