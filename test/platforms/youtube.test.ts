import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { create, eventually, isFinal, media, read } from '../support/e2e.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Json, TestStack } from '../support/stack.ts';

/* YouTube through the whole local stack: from the API to the video at the sandbox. */

const START_MS = 600_000;
const TEST_MS = 600_000;

let stack: TestStack;
beforeAll(async () => void (stack = await sharedStack(['youtube'])), START_MS);
afterAll(() => stack.close());

const video = (fields: Json) => ({
  platforms: ['youtube'],
  post_type: 'video',
  media_urls: [media(stack, 'clip.mp4')],
  ...fields,
});

async function videosTitled(title: string): Promise<Json[]> {
  const { body } = await stack.control('GET', '/_control/published');
  return body.items.filter((item: Json) => item.title === title);
}

/** Calls counted today against the limits of the app, which every workspace of the stack shares. */
async function quotaUsed(): Promise<{ units: number; uploads: number }> {
  const { body } = await stack.api('GET', '/workspace');
  const [units, uploads] = body.platform_quotas;
  expect(units).toMatchObject({ platform: 'youtube', bucket: 'units', limit: 10_000 });
  expect(uploads).toMatchObject({ platform: 'youtube', bucket: 'video_uploads', limit: 100 });
  return { units: units.used, uploads: uploads.used };
}

const settled = (postId: string) =>
  eventually(`post ${postId} and its follow-ups are done`, 300_000, async () => {
    const post = await read(stack, postId);
    const [destination] = post.destinations;
    const isDone =
      isFinal(destination) && destination.follow_ups.every((each: Json) => each.status !== 'pending');
    return isDone ? post : null;
  });

test(
  'a video is published with its thumbnail, playlist and first comment',
  async () => {
    const before = await quotaUsed();
    const postId = await create(
      stack,
      video({
        title: 'Now',
        description: 'On YouTube',
        youtube_tags: ['bread', 'sour dough'],
        youtube_thumbnail_url: media(stack, 'photo.jpg'),
        youtube_playlist_id: 'PLdemoBaking',
        first_comment: 'First!',
      }),
    );
    const post = await settled(postId);
    const [live] = await videosTitled('Now');
    expect(post).toMatchObject({
      status: 'published',
      destinations: [
        {
          platform_post_id: live.platform_post_id,
          platform_post_url: `https://www.youtube.com/watch?v=${live.platform_post_id}`,
          first_comment: { status: 'published' },
          follow_ups: [
            { name: 'processing', status: 'done' },
            { name: 'thumbnail', status: 'done' },
            { name: 'playlist', status: 'done' },
            { name: 'first_comment', status: 'done' },
            { name: 'settings', status: 'done' },
          ],
        },
      ],
    });
    expect(live).toMatchObject({
      text: 'On YouTube',
      comments: [{ text: 'First!' }],
      fields: {
        snippet: { tags: ['bread', 'sour dough'], categoryId: '22' },
        status: { privacyStatus: 'public' },
        playlists: ['PLdemoBaking'],
      },
    });
    const after = await quotaUsed();
    // 100 for the upload, 50 each for thumbnail, playlist and comment, and some reads.
    expect(after.units - before.units).toBeGreaterThanOrEqual(250);
    expect(after.uploads - before.uploads).toBeGreaterThanOrEqual(1);
  },
  TEST_MS,
);

test(
  'a scheduled video is uploaded as private before its time, and public at its time',
  async () => {
    const due = new Date((await stack.now()) + 8 * 60_000).toISOString();
    const postId = await create(stack, video({ title: 'Later', description: 'Held', scheduled_date: due }));
    const held = await eventually('the private video exists', 300_000, async () => {
      const [item] = await videosTitled('Later');
      return item ?? null;
    });
    expect(held.fields.status.privacyStatus).toBe('private');
    expect((await read(stack, postId)).status).not.toBe('published');
    await stack.advance(8 * 60);
    expect((await settled(postId)).status).toBe('published');
    expect((await videosTitled('Later')).map(({ fields }) => fields.status.privacyStatus)).toEqual([
      'public',
    ]);
  },
  TEST_MS,
);

test('lookups answer in the shapes of the interface', async () => {
  expect(await stack.api('GET', '/integrations/youtube/playlists?profile_name=Demo')).toMatchObject({
    status: 200,
    body: { playlists: [{ playlist_id: 'PLdemoBaking' }, { playlist_id: 'PLdemoTravel' }], total: 2 },
  });
  expect(
    await stack.api('POST', '/integrations/youtube/playlists', { profile_name: 'Demo', title: 'New' }),
  ).toMatchObject({ status: 201, body: { success: true, playlist: { title: 'New', privacy: 'public' } } });
  expect(await stack.api('GET', '/integrations/youtube/categories')).toMatchObject({
    status: 200,
    body: { total: 15 },
  });
  for (const name of ['languages', 'regions']) {
    expect((await stack.api('GET', `/integrations/youtube/${name}?profile_name=Demo&hl=de`)).status).toBe(
      200,
    );
  }
});

test('a playlist is not created as public where a misspelled field asks for private', async () => {
  const request = { profile_name: 'Demo', title: 'Mine', privacyStatus: 'private' };
  expect(await stack.api('POST', '/integrations/youtube/playlists', request)).toMatchObject({
    status: 400,
    body: { details: [{ field: 'privacyStatus' }] },
  });
});

test('two requests with one Idempotency-Key create one playlist', async () => {
  const titled = async () => {
    const { body } = await stack.api('GET', '/integrations/youtube/playlists?profile_name=Demo');
    return body.playlists.filter(({ title }: Json) => title === 'Once');
  };
  const request = { profile_name: 'Demo', title: 'Once' };
  const create = () =>
    stack.api('POST', '/integrations/youtube/playlists', request, { 'idempotency-key': 'playlist' });
  const first = await create();
  const second = await create();
  expect([second.status, second.body]).toEqual([201, first.body]);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(await titled()).toHaveLength(1);
});

test('a post that names unknown codes is refused with what was probably meant', async () => {
  const answer = await stack.api('POST', '/posts', {
    profile_name: 'Demo',
    ...video({ title: 'T', youtube_allowed_countries: ['UK', 'XX'], youtube_default_language: 'english' }),
  });
  expect(answer).toMatchObject({ status: 400 });
  const messages: string[] = answer.body.details.map(({ message }: Json) => message);
  expect(messages.join(' ')).toContain('Did you mean GB?');
  expect(messages.join(' ')).toContain('Did you mean en?');
});
