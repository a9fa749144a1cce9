import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import type { AnyGrant } from '../../../../test/support/connectors.ts';
import { sampleFiles } from '../../../../test/support/media.ts';
import { testOrigin } from '../../../../test/support/origin.ts';
import { startSandboxHost, type TestSandbox } from '../../../../test/support/sandbox-host.ts';
import { authorize, connect, LOCAL_REDIRECT } from '../../../../test/support/tiktok.ts';
import type { JsonObject } from '../../../model/json.ts';
import { sandbox } from './server.ts';

const API = 'https://open.tiktokapis.com';
const HOUR = 3_600_000;

let host: TestSandbox;
let file: (name: string) => Buffer;
let grant: AnyGrant;
beforeAll(async () => void ([host, file] = await Promise.all([startSandboxHost(sandbox), sampleFiles()])));
afterAll(() => host.close());
beforeEach(async () => {
  host.advance(25 * HOUR);
  host.platform.reset();
  host.setLimit(null);
  host.setProcessing({ seconds: 0, outcome: 'ok', error: null });
  grant = await connect(host);
});

async function call(path: string, body: JsonObject = {}, token = grant.credentials['access_token']) {
  const { status, body: bytes } = await host.http.send({
    method: 'POST',
    url: `${API}${path}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=UTF-8' },
    body: JSON.stringify(body),
    timeoutMs: 30_000,
  });
  const { data, error } = JSON.parse(bytes.toString()) as { data: JsonObject; error: JsonObject };
  return { status, data, code: error['code'], text: bytes.toString() };
}

const settings = (change: JsonObject) => host.platform.change!('app', change);
const info = (more: JsonObject = {}): JsonObject => ({ privacy_level: 'PUBLIC_TO_EVERYONE', ...more });
const upload = (video_size: number, chunk_size: number, total_chunk_count: number): JsonObject => ({
  source: 'FILE_UPLOAD',
  video_size,
  chunk_size,
  total_chunk_count,
});
const initVideo = (more: JsonObject = {}, source = upload(9000, 9000, 1)) =>
  call('/v2/post/publish/video/init/', { post_info: info(more), source_info: source });
const photoBody = (urls: string[], more: JsonObject = {}): JsonObject => ({
  post_info: info(),
  source_info: { source: 'PULL_FROM_URL', photo_cover_index: 0, photo_images: urls },
  post_mode: 'DIRECT_POST',
  media_type: 'PHOTO',
  ...more,
});
const initPhotos = (body: JsonObject) => call('/v2/post/publish/content/init/', body);
const status = (publish_id: unknown) =>
  call('/v2/post/publish/status/fetch/', { publish_id: String(publish_id) });
const served = (name: string) => host.addMedia(name, file(name));

describe('every call', () => {
  test('needs a token, a scope, and comes not too often', async () => {
    const path = '/v2/post/publish/creator_info/query/';
    expect(await call(path, {}, 'other')).toMatchObject({ status: 401, code: 'access_token_invalid' });
    grant = await connect(host, { untick: 'video.publish' });
    expect(await call(path)).toMatchObject({ status: 401, code: 'scope_not_authorized' });
    grant = await connect(host);
    const codes = [];
    for (let index = 0; index < 21; index += 1) codes.push((await call(path)).code);
    expect([codes.at(-2), codes.at(-1)]).toEqual(['ok', 'rate_limit_exceeded']);
    host.advance(60_000);
    expect((await call(path)).code).toBe('ok');
    host.advance(2 * HOUR);
    expect((await call(path)).code).toBe('access_token_invalid');
  });

  test('is refused as announced', async () => {
    host.setLimit({ code: 'spam_risk', status: 403, on: 'init' });
    expect(await initVideo()).toMatchObject({ status: 403, code: 'spam_risk' });
  });
});

describe('the consent page', () => {
  test.each<[string, Record<string, string>]>([
    ['another app', { client_key: 'x' }],
    ['a scope that does not exist', { scope: 'a b' }],
    ['PKCE of a web app', { code_challenge: 'a'.repeat(64), code_challenge_method: 'S256' }],
    ['a redirect URI with a query', { redirect_uri: 'https://a.example/?b=c' }],
    ['a redirect URI without TLS', { redirect_uri: 'http://a.example/' }],
  ])('refuses %s', async (_, more) => {
    expect((await authorize(host, more)).status).toBe(400);
  });

  test('refuses a challenge in base64url', async () => {
    const more = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' };
    expect((await authorize(host, more, LOCAL_REDIRECT)).status).toBe(400);
  });
});

describe('announcing a video', () => {
  test.each<[string, JsonObject, number, string]>([
    ['without a level', { privacy_level: '' }, 403, 'privacy_level_option_mismatch'],
    [
      'with a level of others',
      { privacy_level: 'FOLLOWER_OF_CREATOR' },
      403,
      'privacy_level_option_mismatch',
    ],
    ['with a text of 2201 units', { title: 'a'.repeat(2201) }, 400, 'invalid_params'],
    ['with a field of photos', { auto_add_music: true }, 400, 'invalid_params'],
    [
      'with private branded content',
      { privacy_level: 'SELF_ONLY', brand_content_toggle: true },
      400,
      'invalid_params',
    ],
  ])('%s is refused', async (_, more, http, code) => {
    expect(await initVideo(more)).toMatchObject({ status: http, code });
  });

  test.each<[string, [number, number, number], JsonObject, string]>([
    ['one chunk of another size', [9000, 5000, 1], {}, 'invalid_params'],
    ['a chunk count that is rounded up', [70_000_000, 32_000_000, 3], {}, 'invalid_params'],
    ['one chunk above 64 MB', [68_000_000, 68_000_000, 1], {}, 'invalid_params'],
    ['one chunk of 67 MB', [67_000_000, 67_000_000, 1], {}, 'ok'],
    ['one chunk of 67 MB, in narrow MB', [67_000_000, 67_000_000, 1], { narrow_mb: true }, 'invalid_params'],
    ['chunks below 5 MB', [12_000_000, 4_000_000, 3], {}, 'invalid_params'],
    ['chunks of 5 MB', [12_000_000, 5_000_000, 2], {}, 'ok'],
    ['chunks of 5 MB, in narrow MB', [12_000_000, 5_000_000, 2], { narrow_mb: true }, 'invalid_params'],
    ['more than 4 GB', [4_294_967_297, 64_000_000, 67], {}, 'invalid_params'],
    ['4 GB in the chunks of the service', [4_294_967_296, 10_000_000, 429], {}, 'ok'],
  ])('with %s', async (_, [size, chunk, count], change, code) => {
    settings(change);
    expect((await initVideo({}, upload(size, chunk, count))).code).toBe(code);
  });

  test('needs both toggles where TikTok is strict', async () => {
    settings({ toggles_required: true });
    expect((await initVideo({ brand_content_toggle: false })).code).toBe('invalid_params');
    expect((await initVideo({ brand_content_toggle: false, brand_organic_toggle: true })).code).toBe('ok');
  });

  test('of an app without audit needs SELF_ONLY and a private account', async () => {
    settings({ audited: false });
    const code = 'unaudited_client_can_only_post_to_private_accounts';
    expect(await initVideo()).toMatchObject({ status: 403, code });
    expect((await initVideo({ privacy_level: 'SELF_ONLY' })).code).toBe(code);
    host.platform.change!('demo', { is_private: true });
    expect((await initVideo({ privacy_level: 'SELF_ONLY' })).code).toBe('ok');
  });

  test('of a banned account is refused', async () => {
    host.platform.change!('demo', { banned: true });
    expect((await initVideo()).code).toBe('spam_risk_user_banned_from_posting');
  });
});

describe('the upload', () => {
  const put = (url: unknown, start: number, bytes: Buffer, total: number, headers = {}) =>
    host.http.send({
      method: 'PUT',
      url: String(url),
      headers: {
        'content-type': 'video/mp4',
        'content-range': `bytes ${start}-${start + bytes.length - 1}/${total}`,
        ...headers,
      },
      body: bytes,
      timeoutMs: 30_000,
    });
  const whole = async () => {
    const clip = file('clip.mp4');
    const { data } = await initVideo({}, upload(clip.length, clip.length, 1));
    return { clip, ...data };
  };

  test('takes chunks in order, each once', async () => {
    const chunk = Buffer.alloc(5_000_000);
    const { data } = await initVideo({}, upload(11_000_000, 5_000_000, 2));
    const late = await put(data['upload_url'], 5_000_000, Buffer.alloc(6_000_000), 11_000_000);
    expect([late.status, late.headers['content-range']]).toEqual([416, 'bytes 0-0/11000000']);
    const first = await put(data['upload_url'], 0, chunk, 11_000_000);
    expect([first.status, first.headers['content-range']]).toEqual([206, 'bytes 0-5000000/11000000']);
    expect((await put(data['upload_url'], 0, chunk, 11_000_000)).status).toBe(416);
    expect((await status(data['publish_id'])).data).toEqual({
      status: 'PROCESSING_UPLOAD',
      uploaded_bytes: 5_000_000,
    });
    expect((await put(data['upload_url'], 5_000_000, Buffer.alloc(6_000_000), 11_000_000)).status).toBe(201);
    expect((await status(data['publish_id'])).data).toMatchObject({
      status: 'FAILED',
      fail_reason: 'file_format_check_failed',
    });
  });

  test.each<[string, JsonObject, number]>([
    ['a token', { authorization: 'Bearer x' }, 400],
    ['another type', { 'content-type': 'application/octet-stream' }, 400],
    ['a range that does not fit', { 'content-range': 'bytes 0-1/3' }, 400],
  ])('refuses %s', async (_, headers, expected) => {
    const { clip, ...data } = await whole();
    const url = (data as JsonObject)['upload_url'];
    expect((await put(url, 0, clip, clip.length, headers)).status).toBe(expected);
  });

  test('refuses unknown uploads, and expires after an hour', async () => {
    const { clip, ...data } = await whole();
    const url = v.parse(v.string(), (data as JsonObject)['upload_url']);
    expect((await put(`${url}x`, 0, clip, clip.length)).status).toBe(404);
    host.advance(HOUR);
    expect((await put(url, 0, clip, clip.length)).status).toBe(403);
  });

  test('is live with an id of 19 digits that comes with a later read', async () => {
    const { clip, ...data } = await whole();
    const { upload_url, publish_id } = data as JsonObject;
    await put(upload_url, 0, clip, clip.length);
    expect((await status(publish_id)).text).toContain('"publicaly_available_post_id":[]');
    expect((await status(publish_id)).text).toMatch(/"publicaly_available_post_id":\[\d{19}\]/);
    const cancel = await call('/v2/post/publish/cancel/', { publish_id: publish_id! });
    expect(cancel).toMatchObject({ status: 400, code: 'publish_not_cancellable' });
  });

  test('can be cancelled before it is published', async () => {
    const { data } = await initVideo();
    const cancelled = await call('/v2/post/publish/cancel/', { publish_id: data['publish_id']! });
    expect(cancelled.code).toBe('ok');
    expect((await status(data['publish_id'])).data['fail_reason']).toBe('publish_cancelled');
  });
});

describe('photos', () => {
  test.each<[string, () => JsonObject, number, string]>([
    ['without post_mode', () => ({ ...photoBody([]), post_mode: '' }), 400, 'invalid_params'],
    ['without a photo', () => photoBody([]), 400, 'invalid_params'],
    [
      'with a cover that is none',
      () =>
        photoBody([served('photo.jpg')], {
          source_info: { source: 'PULL_FROM_URL', photo_cover_index: 1, photo_images: [served('photo.jpg')] },
        }),
      400,
      'invalid_params',
    ],
    [
      'with a title of 91 units',
      () => photoBody([served('photo.jpg')], { post_info: info({ title: 'a'.repeat(91) }) }),
      400,
      'invalid_params',
    ],
    [
      'with a field of videos',
      () => photoBody([served('photo.jpg')], { post_info: info({ disable_duet: true }) }),
      400,
      'invalid_params',
    ],
    ['of another domain', () => photoBody(['https://example.net/a.jpg']), 403, 'url_ownership_unverified'],
    ['without TLS', () => photoBody(['http://media.example.com/a.jpg']), 403, 'url_ownership_unverified'],
    [
      'beside a verified prefix',
      () => photoBody(['https://cdn.example.org/mediax.jpg']),
      403,
      'url_ownership_unverified',
    ],
    [
      'as a draft with empty settings',
      () => photoBody([served('photo.jpg')], { post_info: {}, post_mode: 'MEDIA_UPLOAD' }),
      400,
      'invalid_params',
    ],
  ])('%s are refused', async (_, body, http, code) => {
    expect(await initPhotos(body())).toMatchObject({ status: http, code });
  });

  const outcome = async (urls: string[]) =>
    (await status((await initPhotos(photoBody(urls))).data['publish_id'])).data;

  test('of a verified domain and its subdomains, and below a verified prefix, are fetched', async () => {
    settings({ verified: ['localhost', '127.0.0.1', 'example.com', 'https://cdn.example.org/media/'] });
    expect(await outcome([served('photo.jpg'), served('photo.webp')])).toMatchObject({
      status: 'PUBLISH_COMPLETE',
    });
    for (const url of ['https://media.example.com/a.jpg', 'https://cdn.example.org/media/a.jpg']) {
      expect((await initPhotos(photoBody([url]))).code).toBe('ok');
    }
  });

  test('that cannot be fetched, redirect, or are of a wrong format or size fail afterwards', async () => {
    const redirect = await testOrigin((_, response) => {
      response.writeHead(302, { location: served('photo.jpg') }).end();
    });
    const failed = (fail_reason: string) => ({ status: 'FAILED', fail_reason });
    expect(await outcome([served('photo.png')])).toEqual(failed('file_format_check_failed'));
    expect(await outcome([`${host.url}/_media/none.jpg`])).toEqual(failed('photo_pull_failed'));
    expect(await outcome([`${redirect.url}/a.jpg`])).toEqual(failed('photo_pull_failed'));
    expect(await outcome([served('tall.jpg')])).toEqual(failed('picture_size_check_failed'));
    await redirect.close();
  });
});

test('a sixth draft of a day is refused, a post is not', async () => {
  settings({ rate_limits: false });
  const draft = () => call('/v2/post/publish/inbox/video/init/', { source_info: upload(9000, 9000, 1) });
  for (let index = 0; index < 5; index += 1) expect((await draft()).code).toBe('ok');
  expect(await draft()).toMatchObject({ status: 403, code: 'spam_risk_too_many_pending_share' });
  expect((await initVideo()).code).toBe('ok');
});

test('a sixteenth post of a day is refused, by creator info with the status 200', async () => {
  settings({ rate_limits: false });
  const url = served('photo.jpg');
  for (let index = 0; index < 15; index += 1) await initPhotos(photoBody([url]));
  expect(await initPhotos(photoBody([url]))).toMatchObject({ status: 403, code: 'spam_risk_too_many_posts' });
  const creator = await call('/v2/post/publish/creator_info/query/');
  expect(creator).toMatchObject({ status: 200, code: 'spam_risk_too_many_posts' });
});

test('a process is shown to its own account only', async () => {
  const { data } = await initVideo();
  expect(await status('v_pub_file~other')).toMatchObject({ status: 400, code: 'invalid_publish_id' });
  grant = await connect(host, { as: 'demo_private' });
  const code = 'token_not_authorized_for_specified_publish_id';
  expect(await status(data['publish_id'])).toMatchObject({ status: 400, code });
});
