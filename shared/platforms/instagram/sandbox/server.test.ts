import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import * as v from 'valibot';
import { connected, type Connected } from '../../../../test/support/instagram.ts';
import { sampleFiles } from '../../../../test/support/media.ts';
import { startSandboxHost, type TestSandbox } from '../../../../test/support/sandbox-host.ts';
import { sandbox } from './server.ts';

/* The fake server refuses what Instagram refuses, with its codes. */

const DAY = 86_400_000;
const ID = '17841400000000001';
const MIB = 1024 ** 2;

let sample: (name: string) => Buffer;
let jpeg: Buffer;
beforeAll(async () => {
  sample = await sampleFiles();
  const plain = { width: 40, height: 40, channels: 3, background: 'teal' } as const;
  jpeg = await sharp({ create: plain }).jpeg().toBuffer();
});

let host: TestSandbox;
let instagram: Connected;
let facebook: Connected;
beforeAll(async () => {
  host = await startSandboxHost(sandbox);
  instagram = await connected(host);
  facebook = await connected(host, 'facebook');
});
afterAll(() => host.close());
beforeEach(() => {
  host.platform.reset();
  host.setProcessing({ seconds: 0, outcome: 'ok', error: null });
  host.setLimit(null);
});

/** What the calls of these tests answer. */
interface Body {
  id: string;
  uri: string;
  error: { code: number; error_subcode?: number };
  data: { text: string; quota_usage: number }[];
  video_status: { uploading_phase: object };
}

interface Answer {
  status: number;
  body: Body;
}

type Login = 'instagram' | 'facebook';
const pageToken = ({ target }: Connected) => v.parse(v.string(), target!.secrets!['page_token']);
const tokenOf = (login: Login) =>
  login === 'instagram' ? instagram.grant.credentials['access_token']! : pageToken(facebook);

async function call(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  params: Record<string, string> = {},
  { login = 'instagram', token = tokenOf(login) }: { login?: Login; token?: string } = {},
): Promise<Answer> {
  const query = new URLSearchParams(params).toString();
  const hasBody = method === 'POST';
  const { status, body } = await host.http.send({
    method,
    url: `https://graph.${login}.com/v26.0/${path}${hasBody || query === '' ? '' : `?${query}`}`,
    headers: {
      authorization: `Bearer ${token}`,
      ...(hasBody ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
    },
    ...(hasBody ? { body: query } : {}),
    timeoutMs: 30_000,
  });
  return { status, body: JSON.parse(body.toString()) as Body };
}

const create = (params: Record<string, string>, options = {}) => call('POST', `${ID}/media`, params, options);
const publish = (creation_id: string, options = {}) =>
  call('POST', `${ID}/media_publish`, { creation_id }, options);
const statusOf = async (id: string) => (await call('GET', id, { fields: 'status_code,status' })).body;
const photo = (bytes = jpeg) => host.addMedia('photo', bytes);
const clip = (bytes = sample('clip.mp4')) => host.addMedia('clip', bytes);
const codes = ({ body: { error } }: Answer) => [error.code, error.error_subcode];
const mode = (change: object) => host.platform.change!('demo', { ...change });

describe('tokens', () => {
  test('are refused by the other host, and without the permission', async () => {
    expect(codes(await call('GET', `${ID}/media`, {}, { token: tokenOf('facebook') }))).toEqual([
      190,
      undefined,
    ]);
    const other = { login: 'facebook', token: tokenOf('instagram') } as const;
    expect(codes(await call('GET', `${ID}/media`, {}, other))).toEqual([190, undefined]);
    const narrow = await connected(host, 'instagram', { decline: 'instagram_business_manage_comments' });
    const answer = await call(
      'POST',
      '1/comments',
      { message: 'x' },
      { token: narrow.grant.credentials['access_token']! },
    );
    expect([answer.status, answer.body.error.code]).toEqual([403, 10]);
  });

  test('see their own account only', async () => {
    expect(codes(await call('GET', '17841400000000002/media'))).toEqual([100, 33]);
    expect(codes(await call('GET', '17841400000000002/media', {}, { login: 'facebook' }))).toEqual([100, 33]);
    for (const id of [ID, 'me', '26000000000000001']) {
      expect((await call('GET', `${id}/content_publishing_limit`)).status).toBe(200);
    }
  });
});

describe('a container', () => {
  test.each<[string, Record<string, string>, number, number | undefined]>([
    ['without a file', { caption: 'x' }, 100, undefined],
    ['with two files', { image_url: 'a', video_url: 'b' }, 100, undefined],
    ['of an unknown type', { media_type: 'MOVIE', video_url: 'CLIP' }, 100, 2207023],
    ['of a video alone', { media_type: 'VIDEO', video_url: 'CLIP' }, 100, 2207089],
    ['of a Reel with alt text', { media_type: 'REELS', video_url: 'CLIP', alt_text: 'x' }, 100, undefined],
    [
      'of a story with collaborators',
      { media_type: 'STORIES', video_url: 'CLIP', collaborators: '["a"]' },
      100,
      undefined,
    ],
    [
      'of a child with collaborators',
      { image_url: 'PHOTO', is_carousel_item: 'true', collaborators: '["a"]' },
      100,
      undefined,
    ],
    [
      'of a child that is AI-generated',
      { image_url: 'PHOTO', is_carousel_item: 'true', is_ai_generated: 'true' },
      100,
      undefined,
    ],
    ['with four collaborators', { image_url: 'PHOTO', collaborators: '["a","b","c","d"]' }, 100, undefined],
    ['with collaborators as a list', { image_url: 'PHOTO', collaborators: 'a,b' }, 100, undefined],
    ['with tags as a list', { image_url: 'PHOTO', user_tags: 'a,b' }, 100, undefined],
    [
      'of an image with tags without a position',
      { image_url: 'PHOTO', user_tags: '[{"username":"a"}]' },
      100,
      undefined,
    ],
    [
      'with a tag outside the image',
      { image_url: 'PHOTO', user_tags: '[{"username":"a","x":2,"y":0}]' },
      100,
      undefined,
    ],
    ['of an image to be uploaded', { media_type: 'REELS', upload_type: 'resumable' }, 100, undefined],
    ['with a long caption', { image_url: 'PHOTO', caption: 'a'.repeat(2201) }, 36004, 2207010],
    ['with 31 hashtags', { image_url: 'PHOTO', caption: '#ab '.repeat(31) }, 36004, 2207010],
    ['with 21 mentions', { image_url: 'PHOTO', caption: '@ab '.repeat(21) }, 36004, 2207010],
    ['with an unknown parameter', { image_url: 'PHOTO', audio_name: 'x' }, 100, undefined],
    ['of one child', { media_type: 'CAROUSEL', children: '1' }, 100, 2207028],
    ['of eleven children', { media_type: 'CAROUSEL', children: '1,2,3,4,5,6,7,8,9,10,11' }, 100, 2207028],
    ['of unknown children', { media_type: 'CAROUSEL', children: '1,2' }, 24, 2207008],
    ['of a file that is not there', { image_url: 'http://127.0.0.1:1/a.jpg' }, 9004, 2207052],
  ])('%s is refused', async (_, params, code, subcode) => {
    const files: Record<string, string> = { PHOTO: photo(), CLIP: clip() };
    const filled = Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, files[value] ?? value]),
    );
    const answer = await create(filled);
    expect([answer.status, ...codes(answer)]).toEqual([400, code, subcode]);
  });

  test('fetches its image, which must be a JPEG of a size and shape that Instagram takes', async () => {
    const png = await sharp(jpeg).png().toBuffer();
    expect(codes(await create({ image_url: photo(png) }))).toEqual([36001, 2207005]);
    mode({ takes_png: true });
    expect((await create({ image_url: photo(png) })).status).toBe(200);
    expect(codes(await create({ image_url: photo(sample('tall.jpg')) }))).toEqual([36003, 2207009]);
    const large = Buffer.concat([jpeg, Buffer.alloc(8 * MIB)]);
    expect(codes(await create({ image_url: photo(large) }))).toEqual([36000, 2207004]);
    mode({ slow_fetch: true });
    expect(codes(await create({ image_url: photo() }))).toEqual([-2, 2207003]);
  });

  test('reports faults of a video in its status', async () => {
    const webm = await create({ media_type: 'REELS', video_url: clip(sample('clip.webm')) });
    expect(await statusOf(webm.body.id)).toMatchObject({
      status_code: 'ERROR',
      status: expect.stringContaining('2207026'),
    });
    const beyond = await create({ media_type: 'REELS', video_url: clip(), thumb_offset: '60000' });
    expect(await statusOf(beyond.body.id)).toMatchObject({ status: expect.stringContaining('2207057') });
  });

  test('is processed, published once and then never again, or expires', async () => {
    host.setProcessing({ seconds: 30 });
    const { body } = await create({ image_url: photo() });
    expect(await statusOf(body.id)).toMatchObject({ status_code: 'IN_PROGRESS' });
    expect(codes(await publish(body.id))).toEqual([9007, 2207027]);
    host.advance(30_000);
    expect(await statusOf(body.id)).toMatchObject({ status_code: 'FINISHED' });
    expect((await publish(body.id)).status).toBe(200);
    expect(await statusOf(body.id)).toMatchObject({ status_code: 'PUBLISHED' });
    expect(codes(await publish(body.id))).toEqual([9007, 2207027]);
    expect(host.posts().filter(({ text }) => text === null)).toHaveLength(1);

    const old = await create({ image_url: photo() });
    host.advance(DAY);
    expect(await statusOf(old.body.id)).toMatchObject({ status_code: 'EXPIRED' });
    expect(codes(await publish(old.body.id))).toEqual([-2, 2207020]);
    expect(codes(await publish('17800000000000009'))).toEqual([24, 2207008]);
    instagram = await connected(host);
    facebook = await connected(host, 'facebook');
  });

  test('of a carousel fails with a child that is not finished, and takes each child once', async () => {
    const child = async () => (await create({ image_url: photo(), is_carousel_item: 'true' })).body.id;
    const ids = [await child(), await child()];
    expect(codes(await publish(ids[0]!))).toEqual([24, 2207008]);
    const whole = await create({ media_type: 'CAROUSEL', children: ids.join(',') });
    expect((await publish(whole.body.id)).status).toBe(200);
    expect(codes(await create({ media_type: 'CAROUSEL', children: ids.join(',') }))).toEqual([24, 2207008]);
    host.setProcessing({ seconds: 60 });
    const slow = [await child(), await child()];
    host.setProcessing({ seconds: 0 });
    const early = await create({ media_type: 'CAROUSEL', children: slow.join(',') });
    expect(await statusOf(early.body.id)).toMatchObject({ status_code: 'ERROR' });
  });
});

describe('publishing', () => {
  test('is limited by posts in 24 hours', async () => {
    host.setLimit({ quota_total: 1 });
    const limit = async () =>
      (await call('GET', `${ID}/content_publishing_limit`, { fields: 'quota_usage,config' })).body.data[0];
    expect(await limit()).toEqual({ quota_usage: 0, config: { quota_total: 1, quota_duration: 86_400 } });
    await publish((await create({ image_url: photo() })).body.id);
    expect(await limit()).toMatchObject({ quota_usage: 1 });
    expect(codes(await publish((await create({ image_url: photo() })).body.id))).toEqual([9, 2207042]);
    expect((await call('GET', `${ID}/content_publishing_limit`)).body.data[0]).toEqual({ quota_usage: 1 });
  });

  test('lists stories on their own for a day', async () => {
    const story = await create({ media_type: 'STORIES', video_url: clip() });
    const { id } = (await publish(story.body.id)).body;
    const listed = async (edge: string) =>
      (await call('GET', `${ID}/${edge}`, { fields: 'id,media_product_type' })).body.data;
    expect(await listed('stories')).toEqual([{ id, media_product_type: 'STORY' }]);
    expect(await listed('media')).toEqual([]);
  });
});

describe('media', () => {
  const live = async (params: Record<string, string> = {}) =>
    (await publish((await create({ image_url: photo(), caption: 'Hi @you', ...params })).body.id)).body.id;

  test('read back without @, with a link that has no id', async () => {
    const id = await live();
    const fields = 'id,caption,permalink,media_type,media_product_type,timestamp,username';
    expect((await call('GET', id, { fields })).body).toMatchObject({
      id,
      caption: 'Hi you',
      permalink: expect.stringMatching(/^https:\/\/www\.instagram\.com\/p\/C[\w-]+\/$/),
      media_type: 'IMAGE',
      media_product_type: 'FEED',
      timestamp: expect.stringMatching(/\+0000$/),
      username: 'demo',
    });
    expect((await call('GET', id, { fields: 'nothing' })).body.error.code).toBe(100);
  });

  test('take comments, which exist even where `fields` fails the request', async () => {
    const id = await live();
    expect((await call('POST', `${id}/comments`, { message: 'One' })).status).toBe(200);
    expect(codes(await call('POST', `${id}/comments`, { message: 'Two', fields: 'id' }))).toEqual([
      20, 1772107,
    ]);
    expect(codes(await call('POST', `${id}/comments`, {}))).toEqual([100, undefined]);
    const { data } = (await call('GET', `${id}/comments`, { fields: 'id,text,username' })).body;
    expect(data.map(({ text }) => text)).toEqual(['One', 'Two']);
    expect(
      host
        .posts()
        .at(-1)!
        .comments.map(({ text }) => text),
    ).toEqual(['One', 'Two']);
  });

  test('have insights by product, and refuse a metric of another', async () => {
    const id = await live();
    host.setMetrics(id, { views: 10 });
    const { body } = await call('GET', `${id}/insights`, { metric: 'views,reach' });
    expect(body.data).toMatchObject([{ name: 'views', period: 'lifetime', values: [{ value: 10 }] }]);
    expect(codes(await call('GET', `${id}/insights`, { metric: 'views,replies' }))).toEqual([100, undefined]);
    expect(codes(await call('GET', `${id}/insights`, { metric: 'impressions' }))).toEqual([100, undefined]);
    expect(codes(await call('GET', `${id}/insights`))).toEqual([3001, 1504028]);
  });

  test('are deleted at graph.facebook.com only, by the user', async () => {
    const id = await live();
    expect((await call('DELETE', id)).status).toBe(400);
    expect((await call('DELETE', id, {}, { login: 'facebook' })).status).toBe(403);
  });
});

test('a resumable upload continues at its offset and checks its length', async () => {
  const { body } = await create({ media_type: 'REELS', upload_type: 'resumable' }, { login: 'facebook' });
  const bytes = sample('clip.mp4');
  const upload = async (offset: number, part: Buffer, scheme = 'OAuth') => {
    const headers = {
      authorization: `${scheme} ${tokenOf('facebook')}`,
      offset: String(offset),
      file_size: String(bytes.length),
    };
    const request = { method: 'POST', url: body.uri, headers, body: part, timeoutMs: 30_000 } as const;
    return JSON.parse((await host.http.send(request)).body.toString()) as object;
  };
  expect(await upload(0, bytes, 'Bearer')).toMatchObject({ debug_info: { type: 'NotAuthorizedError' } });
  expect(await upload(5, bytes.subarray(5))).toMatchObject({ debug_info: { type: 'OffsetInvalidError' } });
  expect(await upload(0, bytes.subarray(0, 1000))).toMatchObject({
    debug_info: { type: 'PartialRequestError' },
  });
  const read = await call('GET', body.id, { fields: 'video_status' }, { login: 'facebook' });
  expect(read.body.video_status.uploading_phase).toMatchObject({ bytes_transferred: 1000 });
  expect(await upload(1000, bytes.subarray(1000))).toEqual({ success: true, message: 'Upload successful.' });
  expect((await publish(body.id, { login: 'facebook' })).status).toBe(200);
});

test('an account may have 400 containers in 24 hours', async () => {
  const reel = { media_type: 'REELS', upload_type: 'resumable' };
  for (let index = 0; index < 400; index += 1) await create(reel, { login: 'facebook' });
  expect(codes(await create(reel, { login: 'facebook' }))).toEqual([4, undefined]);
  host.advance(DAY + 1);
  const late = await connected(host, 'facebook');
  const token = pageToken(late);
  expect((await create(reel, { login: 'facebook', token })).status).toBe(200);
});
