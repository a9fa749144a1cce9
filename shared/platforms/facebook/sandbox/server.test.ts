import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { connectPage } from '../../../../test/support/facebook.ts';
import { startSandboxHost, type TestSandbox } from '../../../../test/support/sandbox-host.ts';
import { appSecretProof } from '../../families/meta/app.ts';
import { isDisallowed } from '../../families/meta/sandbox/fetch-media.ts';
import { sandbox } from './server.ts';
import { APP } from './state.ts';

const PAGE = '102938475610293';
const V = 'https://graph.facebook.com/v26.0';
const DAY_MS = 24 * 3600_000;

let host: TestSandbox;
let pageToken: string;
let userToken: string;
let photoUrl: string;
let count = 0;
beforeAll(async () => {
  host = await startSandboxHost(sandbox);
  const jpeg = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  photoUrl = host.addMedia('a.jpg', jpeg);
});
afterAll(() => host.close());
beforeEach(async () => {
  host.advance(3600_000);
  host.platform.reset();
  const { grant, target } = await connectPage(host);
  pageToken = target.secrets!['access_token'] as string;
  userToken = grant.credentials['user_token']!;
});

interface Sent {
  method?: 'GET' | 'POST' | 'DELETE';
  form?: Record<string, string>;
  json?: unknown;
  token?: string | null;
  scheme?: string;
  headers?: Record<string, string>;
}

async function send(
  url: string,
  { method, form, json, token = pageToken, scheme = 'Bearer', headers }: Sent = {},
) {
  const body = form
    ? new URLSearchParams(form).toString()
    : json === undefined
      ? undefined
      : JSON.stringify(json);
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
  const response = await host.http.send({
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    url: url.startsWith('https') ? url : `${V}${url}`,
    headers: {
      ...(token === null ? {} : { authorization: `${scheme} ${token}` }),
      ...(body === undefined ? {} : { 'content-type': type }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    timeoutMs: 10_000,
  });
  const json_ = JSON.parse(response.body.toString()) as Record<string, never> & {
    error?: { code: number; error_subcode?: number };
    id?: string;
  };
  return { status: response.status, headers: response.headers, body: json_ };
}

const code = async (url: string, sent: Sent = {}) => {
  const { body } = await send(url, sent);
  return [body.error?.code, body.error?.error_subcode];
};
const message = () => `Text ${(count += 1)}`;
const stage = async () =>
  (await send(`/${PAGE}/photos`, { form: { url: photoUrl, published: 'false' } })).body.id!;

describe('versions', () => {
  test.each([
    ['v26.0', 'v26.0'],
    ['v25.0', 'v25.0'],
    ['v3.0', 'v21.0'],
  ])('%s is served as %s', async (version, served) => {
    const { status, headers } = await send(`https://graph.facebook.com/${version}/me`, { token: userToken });
    expect([status, headers['facebook-api-version']]).toEqual([200, served]);
  });

  test('that do not exist are refused', async () => {
    expect(await code('https://graph.facebook.com/v99.0/me', { token: userToken })).toEqual([
      2500,
      undefined,
    ]);
  });
});

describe('a token', () => {
  test.each([
    ['missing on /me', '/me', { token: null }, [2500, undefined]],
    ['missing elsewhere', `/${PAGE}/feed`, { token: null }, [104, undefined]],
    ['unknown', '/me', { token: 'x' }, [190, undefined]],
  ] as const)('%s', async (_, path, sent, expected) => {
    expect(await code(path, sent)).toEqual(expected);
  });

  test('of the user cannot act as the Page', async () => {
    const sent = { token: userToken, form: { message: message() } };
    expect(await send(`/${PAGE}/feed`, sent)).toMatchObject({ status: 403, body: { error: { code: 200 } } });
  });

  test('may be a parameter', async () => {
    expect((await send('/me', { token: null, method: 'GET' })).status).toBe(400);
    expect((await send(`/me?access_token=${userToken}`, { token: null })).status).toBe(200);
  });

  test.each([
    ['pages_manage_posts', 'feed', 200],
    ['pages_manage_engagement', 'comments', 200],
  ])('without %s gets code %s', async (scope, edge, expected) => {
    const { id } = (await send(`/${PAGE}/feed`, { form: { message: message() } })).body;
    host.platform.change!('demo', { without: [scope] });
    const path = edge === 'feed' ? `/${PAGE}/feed` : `/${id}/comments`;
    expect(await code(path, { form: { message: message() } })).toEqual([expected, undefined]);
  });

  test('without pages_read_user_content cannot list posts', async () => {
    host.platform.change!('demo', { without: ['pages_read_user_content'] });
    expect(await code(`/${PAGE}/published_posts`)).toEqual([10, undefined]);
  });

  test.each([true, false])('needs a proof where the app requires it (right: %s)', async isRight => {
    host.platform.change!('app', { require_proof: true });
    expect(await code(`/${PAGE}/feed`, { form: { message: message() } })).toEqual([100, undefined]);
    const proof = isRight ? appSecretProof(pageToken, APP.client_secret) : 'wrong';
    const form = { message: message(), appsecret_proof: proof };
    expect((await send(`/${PAGE}/feed`, { form })).status).toBe(isRight ? 200 : 400);
  });

  test('ends with its user', async () => {
    host.platform.tokens('revoke', 'demo');
    expect(await code(`/${PAGE}/feed`)).toEqual([190, 458]);
    host.platform.tokens('expire', null);
    expect(await code(`/${PAGE}/feed`)).toEqual([190, 463]);
  });
});

describe('a post', () => {
  test.each([
    ['nothing', {}, [100, undefined]],
    ['a link to Facebook', { link: 'https://www.facebook.com/a' }, [200, 1609008]],
    ['a link that cannot be read', { link: 'https://nowhere.invalid/' }, [1609005, undefined]],
    ['a link that is no URL', { link: 'no url' }, [1500, undefined]],
    ['date_format', { message: 'a', date_format: 'U' }, [100, undefined]],
    ['one photo', { 'attached_media[0]': '{"media_fbid":"1"}' }, [100, undefined]],
    ['photos with a gap', { 'attached_media[1]': '{"media_fbid":"1"}' }, [100, undefined]],
    ['malformed photos', { attached_media: 'no' }, [100, undefined]],
    ['a numeric id', { attached_media: '[{"media_fbid":1},{"media_fbid":2}]' }, [100, undefined]],
  ])('with %s is refused', async (_, form, expected) => {
    expect(await code(`/${PAGE}/feed`, { form })).toEqual(expected);
  });

  test('is refused as a duplicate for a minute', async () => {
    const form = { message: message() };
    expect((await send(`/${PAGE}/feed`, { form })).status).toBe(200);
    expect(await code(`/${PAGE}/feed`, { form })).toEqual([506, 1455006]);
    host.advance(61_000);
    expect((await send(`/${PAGE}/feed`, { form })).status).toBe(200);
  });

  test('takes staged photos in all three encodings, once and for a day', async () => {
    const encodings = [
      ([a, b]: string[]) => ({
        form: { 'attached_media[0]': `{"media_fbid":"${a}"}`, 'attached_media[1]': `{"media_fbid":"${b}"}` },
      }),
      ([a, b]: string[]) => ({ form: { attached_media: `[{"media_fbid":"${a}"},{"media_fbid":"${b}"}]` } }),
      ([a, b]: string[]) => ({ json: { attached_media: [{ media_fbid: a }, { media_fbid: b }] } }),
    ];
    for (const encoded of encodings) {
      const ids = [await stage(), await stage()];
      expect((await send(`/${PAGE}/feed`, encoded(ids))).status).toBe(200);
      expect(await code(`/${PAGE}/feed`, encoded(ids))).toEqual([100, undefined]);
      const late = [await stage(), await stage()];
      host.advance(DAY_MS);
      expect(await code(`/${PAGE}/feed`, encoded(late))).toEqual([100, undefined]);
    }
  });

  test('is listed with the photos that it shows, and gone once it is deleted', async () => {
    const ids = [await stage(), await stage()];
    const json = { message: message(), attached_media: ids.map(media_fbid => ({ media_fbid })) };
    const { id } = (await send(`/${PAGE}/feed`, { json })).body;
    const fields = 'id,message,attachments{target,subattachments{target}}';
    const list = async () =>
      (await send(`/${PAGE}/published_posts?fields=${fields}`)).body['data'] as unknown as { id: string }[];
    expect((await list())[0]).toMatchObject({
      id,
      message: json.message,
      attachments: { data: [{ subattachments: { data: ids.map(each => ({ target: { id: each } })) } }] },
    });
    expect((await send(`/${id}`, { method: 'DELETE' })).body).toEqual({ success: true });
    expect((await list()).map(each => each.id)).not.toContain(id);
    expect(await code(`/${id}`)).toEqual([100, 33]);
  });
});

describe('a photo', () => {
  test.each([
    ['neither a URL nor a file', {}, [324, undefined]],
    ['a URL that does not answer', { url: 'http://127.0.0.1:1/a.jpg' }, [100, 2069019]],
    ['a URL at Facebook', { url: 'https://scontent.fbcdn.net/a.jpg' }, [100, 2069019]],
  ])('with %s is refused', async (_, form, expected) => {
    expect(await code(`/${PAGE}/photos`, { form })).toEqual(expected);
  });

  test('that is a text, or larger than 4 MB, is refused', async () => {
    const text = host.addMedia('a.txt', Buffer.from('text'));
    const large = host.addMedia('large.jpg', Buffer.alloc(4 * 1024 ** 2 + 1));
    for (const url of [text, large])
      expect(await code(`/${PAGE}/photos`, { form: { url } })).toEqual([100, 1366046]);
  });
});

describe('a Reel', () => {
  const start = async () =>
    (await send(`/${PAGE}/video_reels`, { form: { upload_phase: 'start' } })).body as unknown as {
      video_id: string;
      upload_url: string;
    };

  test.each([
    ['the phase complete', { upload_phase: 'complete' }, [100, undefined]],
    ['no state', { upload_phase: 'finish' }, [100, undefined]],
    ['no upload', { upload_phase: 'finish', video_state: 'PUBLISHED' }, [6000, undefined]],
  ])('cannot be finished with %s', async (_, form, expected) => {
    const { video_id } = await start();
    expect(
      await code(`/${PAGE}/video_reels`, { form: { ...(form as Record<string, string>), video_id } }),
    ).toEqual(expected);
  });

  test('is limited to 30 a day', async () => {
    host.setProcessing({ seconds: 0 });
    for (let number = 0; number < 30; number += 1) {
      const { video_id, upload_url } = await start();
      await send(upload_url, {
        method: 'POST',
        scheme: 'OAuth',
        headers: { file_url: photoUrl, 'content-length': '0' },
      });
      await send(`/${PAGE}/video_reels`, {
        form: { upload_phase: 'finish', video_state: 'PUBLISHED', video_id },
      });
    }
    expect(await code(`/${PAGE}/video_reels`, { form: { upload_phase: 'start' } })).toEqual([4, undefined]);
  });

  test.each([
    ['Bearer', { scheme: 'Bearer' }, 'NotAuthorizedError'],
    [
      'a body beside file_url',
      { json: {}, headers: { file_url: 'https://a.example/' } },
      'ProcessingFailedError',
    ],
    ['neither file_url nor offset', {}, 'ProcessingFailedError'],
    ['a wrong offset', { headers: { offset: '5', file_size: '9' } }, 'OffsetInvalidError'],
    ['a wrong length', { headers: { offset: '0', file_size: '9' } }, 'PartialRequestError'],
  ])('is not uploaded with %s', async (_, sent, type) => {
    const { upload_url } = await start();
    const { status, body } = await send(upload_url, { method: 'POST', scheme: 'OAuth', ...(sent as Sent) });
    expect([status, body]).toMatchObject([400, { debug_info: { type } }]);
    expect(JSON.stringify(body)).not.toContain(pageToken);
  });
});

test.each([
  ['/{post}/insights', [3001, 1504028]],
  ['/{post}/insights?metric=post_impressions', [100, undefined]],
  ['/{post}/insights?metric=post_clicks&since=0&until=99999999', [100, undefined]],
])('insights: %s is refused', async (path, expected) => {
  const { id } = (await send(`/${PAGE}/feed`, { form: { message: message() } })).body;
  expect(await code(path.replace('{post}', id!))).toEqual(expected);
});

test.each([
  ['User-agent: *\nDisallow: /', true],
  ['User-agent: *\nDisallow: /private', false],
  ['User-agent: facebookexternalhit\nDisallow:\n\nUser-agent: *\nDisallow: /', false],
  ['User-agent: facebookexternalhit\nUser-agent: x\nDisallow: /media', true],
  ['User-agent: other\nDisallow: /', false],
  ['', false],
])('robots.txt %j forbids /media/a.jpg: %s', (robots, expected) => {
  expect(isDisallowed(robots, '/media/a.jpg')).toBe(expected);
});
