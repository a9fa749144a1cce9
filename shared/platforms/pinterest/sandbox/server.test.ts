import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../../test/support/connectors.ts';
import { sampleFiles } from '../../../../test/support/media.ts';
import { authorize, BOARD, connect } from '../../../../test/support/pinterest.ts';
import { startSandboxHost, type TestSandbox } from '../../../../test/support/sandbox-host.ts';
import { sandbox } from './server.ts';
import { boardsOf, DEMO } from './state.ts';

const API = 'https://api.pinterest.com/v5';
const DAY = 86_400_000;

let host: TestSandbox;
let file: (name: string) => Buffer;
let grant: AnyGrant;
beforeAll(async () => void ([host, file] = await Promise.all([startSandboxHost(sandbox), sampleFiles()])));
afterAll(() => host.close());
beforeEach(async () => {
  host.platform.reset();
  host.setLimit(null);
  host.setProcessing({ seconds: 0, outcome: 'ok', error: null });
  grant = await connect(host);
});

type Body = Record<string, unknown>;

async function send(
  method: 'GET' | 'POST',
  url: string,
  body?: Body,
): Promise<{ status: number; body: Body }> {
  const answer = await host.http.send({
    method,
    url: url.startsWith('https:') ? url : `${API}${url}`,
    headers: {
      authorization: `Bearer ${grant.credentials['access_token']}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    timeoutMs: 30_000,
  });
  const text = answer.body.toString();
  return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as Body) : { text } };
}

const image = (name = 'photo.jpg') => ({ source_type: 'image_url', url: host.addMedia(name, file(name)) });
const pin = (more: Body = {}) =>
  send('POST', '/pins', { board_id: BOARD.id, media_source: image(), ...more });

describe('creating a Pin', () => {
  test.each<[string, () => Body, number, number, string]>([
    ['a board id with letters', () => ({ board_id: 'a' }), 400, 1, "'board_id': does not match"],
    ['an unknown board', () => ({ board_id: '1' }), 404, 40, 'Board not found'],
    ['an unknown section', () => ({ board_section_id: '1' }), 404, 2031, 'section'],
    ['a title of 101 characters', () => ({ title: 'a'.repeat(101) }), 400, 1, 'maxLength=100'],
    ['a description of 801 characters', () => ({ description: 'a'.repeat(801) }), 400, 1, 'maxLength=800'],
    ['an alt text of 501 characters', () => ({ alt_text: 'a'.repeat(501) }), 400, 1, 'maxLength=500'],
    ['an empty link', () => ({ link: '' }), 400, 1, 'invalid URL'],
    ['an unknown field', () => ({ board: '1' }), 400, 1, 'board'],
    [
      'one image in a carousel',
      () => ({ media_source: { source_type: 'multiple_image_urls', items: [{ url: image().url }] } }),
      400,
      1,
      'minItems=2',
    ],
    [
      'six images',
      () => ({
        media_source: { source_type: 'multiple_image_urls', items: Array(6).fill({ url: image().url }) },
      }),
      400,
      1,
      'maxItems=5',
    ],
    [
      'images of different ratios',
      () => ({
        media_source: {
          source_type: 'multiple_image_urls',
          items: [{ url: image().url }, { url: image('tall.jpg').url }],
        },
      }),
      400,
      1,
      'aspect ratio',
    ],
    [
      'a URL that answers 404',
      () => ({ media_source: { source_type: 'image_url', url: `${host.url}/_media/none` } }),
      400,
      1,
      'Unable to reach the URL',
    ],
    ['a video as an image', () => ({ media_source: image('clip.mp4') }), 403, 235, 'broken'],
    [
      'a video without a cover',
      () => ({ media_source: { source_type: 'video_id', media_id: '1' } }),
      400,
      1,
      'cover_image_url or cover_image_content_type',
    ],
    [
      'an unknown video',
      () => ({ media_source: { source_type: 'video_id', media_id: '1', cover_image_key_frame_time: 0 } }),
      400,
      1,
      'media_id',
    ],
  ])('with %s is refused', async (_, more, status, code, words) => {
    const answer = await pin(more());
    expect(answer).toMatchObject({ status, body: { code, message: expect.stringContaining(words) } });
  });

  test('with a small image is refused with code 233', async () => {
    host.platform.change!('demo', { min_side: 5000 });
    expect(await pin()).toMatchObject({ status: 403, body: { code: 233 } });
  });

  test('counts code points', async () => {
    expect((await pin({ title: '😀'.repeat(100) })).status).toBe(201);
  });

  test('answers the Pin, which is read under its id, on its board and in the list', async () => {
    const created = await pin({ title: 'My Pin', link: 'https://www.example.com/' });
    expect(created).toMatchObject({
      status: 201,
      body: { board_id: BOARD.id, title: 'My Pin', creative_type: 'REGULAR', media: { media_type: 'image' } },
    });
    expect(created.body['created_at']).not.toContain('Z');
    const id = created.body['id'] as string;
    expect((await send('GET', `/pins/${id}`)).body).toEqual(created.body);
    for (const list of [`/boards/${BOARD.id}/pins`, '/pins']) {
      expect((await send('GET', list)).body).toMatchObject({ items: [{ id }], bookmark: null });
    }
  });

  test.each([
    [{ trial: true }, 403, 29],
    [{ scope_status: 403 }, 403, 3],
    [{ scope_status: 401 }, 401, 3],
  ])('for an account with %j is refused with status %s and code %s', async (change, status, code) => {
    host.platform.change!('demo', change);
    if (!('trial' in change)) grant = await narrowGrant();
    expect(await pin()).toMatchObject({ status, body: { code } });
  });

  test('is refused beyond a limit, and as spam', async () => {
    host.setLimit({ code: 8 });
    expect(await pin()).toMatchObject({ status: 429, body: { code: 8 } });
    host.setLimit({ code: 'spam' });
    expect(await pin()).toMatchObject({ status: 429, body: { message: expect.stringContaining('spam') } });
  });
});

/** A grant without the permission to write, which the connector would reject. */
async function narrowGrant(): Promise<AnyGrant> {
  const { app, code, redirect_uri } = await authorize(host, { scope: 'boards:read,pins:read' });
  const basic = Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64');
  const form = { grant_type: 'authorization_code', code, redirect_uri, continuous_refresh: 'true' };
  const answer = await host.http.send({
    method: 'POST',
    url: `${API}/oauth/token`,
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
    timeoutMs: 30_000,
  });
  return { ...grant, credentials: JSON.parse(answer.body.toString()) as Record<string, string> };
}

describe('tokens', () => {
  test('are valid at one of the two hosts only', async () => {
    const other = await send('GET', 'https://api-sandbox.pinterest.com/v5/user_account');
    expect(other).toMatchObject({ status: 401, body: { code: 2, message: 'Authentication failed.' } });
  });

  test.each(['expire', 'revoke'] as const)('are refused after %s', async action => {
    host.platform.tokens(action, 'demo');
    expect(await send('GET', '/user_account')).toMatchObject({ status: 401, body: { code: 2 } });
  });
});

describe('lists', () => {
  test('have 25 items and a bookmark by default', async () => {
    host.platform.change!('demo', { boards: 30 });
    const first = await send('GET', '/boards');
    const { items, bookmark } = first.body as { items: unknown[]; bookmark: string };
    expect(items).toHaveLength(25);
    const second = await send('GET', `/boards?bookmark=${bookmark}`);
    expect(second.body).toMatchObject({ items: Array(6).fill({}), bookmark: null });
    expect(await send('GET', '/boards?page_size=251')).toMatchObject({ status: 400 });
  });

  test('contain boards of others that are shared', () => {
    expect(boardsOf(DEMO).map(({ owner }) => owner)).toContain('jdoe');
  });
});

describe('a video upload', () => {
  const register = async () =>
    (await send('POST', '/media', { media_type: 'video' })).body as unknown as {
      media_id: string;
      upload_url: string;
      upload_parameters: Record<string, string>;
    };
  async function upload(
    url: string,
    fields: [string, string | Blob][],
    method: 'POST' | 'PUT' = 'POST',
  ): Promise<{ status: number; text: string }> {
    const form = new FormData();
    for (const [name, value] of fields) form.append(name, value);
    const request = new Request('http://localhost/', { method: 'POST', body: form });
    const body = Buffer.from(await request.arrayBuffer());
    const headers = { 'content-type': request.headers.get('content-type')! };
    const answer = await host.http.send({ method, url, headers, body, timeoutMs: 30_000 });
    return { status: answer.status, text: answer.body.toString() };
  }
  const clip = (): [string, Blob] => ['file', new Blob([new Uint8Array(file('clip.mp4'))])];

  test('is taken with all parameters and the file last, and processed', async () => {
    const { media_id, upload_url, upload_parameters } = await register();
    const status = async () => (await send('GET', `/media/${media_id}`)).body['status'];
    expect(await status()).toBe('registered');
    host.setProcessing({ seconds: 5 });
    const sent = await upload(upload_url, [...Object.entries(upload_parameters), clip()]);
    expect(sent.status).toBe(204);
    expect(await status()).toBe('processing');
    const source = { source_type: 'video_id', media_id, cover_image_key_frame_time: 0 };
    expect(await pin({ media_source: source })).toMatchObject({ status: 400 });
    host.advance(5000);
    expect(await status()).toBe('succeeded');
    expect(await pin({ media_source: source })).toMatchObject({
      status: 201,
      body: { creative_type: 'VIDEO' },
    });
  });

  test('of something else fails', async () => {
    const { media_id, upload_url, upload_parameters } = await register();
    const photo: [string, Blob] = ['file', new Blob([new Uint8Array(file('photo.jpg'))])];
    await upload(upload_url, [...Object.entries(upload_parameters), photo]);
    expect((await send('GET', `/media/${media_id}`)).body['status']).toBe('failed');
  });

  test('is refused as PUT, with a changed or missing parameter, with the file first, and late', async () => {
    const { upload_url, upload_parameters } = await register();
    const fields = Object.entries(upload_parameters);
    expect((await upload(upload_url, [...fields, clip()], 'PUT')).status).toBe(405);
    expect((await upload(upload_url, [...fields.slice(1), clip()])).status).toBe(403);
    expect((await upload(upload_url, [...fields, ['more', '1'], clip()])).status).toBe(403);
    expect((await upload(upload_url, [clip(), ...fields])).status).toBe(400);
    host.advance(2 * DAY);
    expect(await upload(upload_url, [...fields, clip()])).toMatchObject({
      status: 403,
      text: expect.stringContaining('Policy expired'),
    });
  });

  test('of another account is not found', async () => {
    const { media_id } = await register();
    grant = await connect(host, { as: 'demo_many' });
    expect(await send('GET', `/media/${media_id}`)).toMatchObject({
      status: 404,
      body: { message: 'Media upload not found' },
    });
  });
});

describe('analytics', () => {
  const read = async (query: string) => {
    const { body } = await pin();
    return send('GET', `/pins/${body['id'] as string}/analytics?${query}`);
  };
  const day = (days: number) => new Date(host.now() - days * DAY).toISOString().slice(0, 10);

  test.each([
    ['no dates', () => 'metric_types=SAVE'],
    ['a start 90 days back', () => `start_date=${day(90)}&end_date=${day(0)}&metric_types=SAVE`],
    ['a start after today', () => `start_date=${day(-2)}&end_date=${day(-2)}&metric_types=SAVE`],
    ['a video metric', () => `start_date=${day(1)}&end_date=${day(0)}&metric_types=VIDEO_START`],
  ])('with %s are refused', async (_, query) => {
    expect(await read(query())).toMatchObject({ status: 400, body: { code: 400 } });
  });
});
