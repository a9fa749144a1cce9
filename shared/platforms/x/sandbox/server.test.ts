import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import type { AnyGrant } from '../../../../test/support/connectors.ts';
import { gifOf } from '../../../../test/support/moving-files.ts';
import { startSandboxHost, type TestSandbox } from '../../../../test/support/sandbox-host.ts';
import { authorize, connect, noiseVideo } from '../../../../test/support/x.ts';
import type { StoredMedia } from '../../contract/sandbox.ts';
import { gifFrames } from '../../kit/sandbox/gif.ts';
import { mediaError } from './media-rules.ts';
import { APP } from './state.ts';
import { sandbox } from './server.ts';

let host: TestSandbox;
let grant: AnyGrant;
let jpeg: Buffer;
beforeAll(async () => {
  host = await startSandboxHost(sandbox);
  jpeg = await sharp({ create: { width: 4, height: 3, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();
});
afterAll(() => host.close());
beforeEach(async () => {
  host.advance(30 * 60_000);
  host.setProcessing({ seconds: 0, outcome: 'ok', error: null });
  grant = await connect(host);
});

type Method = 'GET' | 'POST' | 'DELETE';
const MEDIA = '/2/media/upload';

/** The members of responses that these tests read. */
interface Answer {
  data: { id: string; text: string; processing_info?: { state: string } };
  errors: { message: string }[];
  meta: { result_count: number };
  error: string;
}

/** Sends a call; without authorization if `token` is null. */
async function call(
  method: Method,
  path: string,
  options: { json?: unknown; body?: Buffer; type?: string; token?: string | null } = {},
) {
  const { json, body, type, token = grant.credentials.access_token } = options;
  const contentType = type ?? (json === undefined ? null : 'application/json');
  const answer = await host.http.send({
    method,
    url: `https://api.x.com${path}`,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(contentType === null ? {} : { 'content-type': contentType }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(body === undefined ? {} : { body }),
    timeoutMs: 30_000,
  });
  const text = answer.body.toString();
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    json: (text === '' ? {} : JSON.parse(text)) as Answer,
  };
}

const create = (json: object) => call('POST', '/2/tweets', { json });
const start = (media_category: string, media_type: string, total_bytes: number, more = {}) =>
  call('POST', `${MEDIA}/initialize`, { json: { media_category, media_type, total_bytes, ...more } });
const part = (bytes: Uint8Array) => new File([Uint8Array.from(bytes)], 'm', { type: 'image/jpeg' });
/** Sends a form as the runtime encodes it, not as the service's client does. */
async function append(id: string, parts: Record<string, string | File>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) form.append(name, value);
  const message = new Response(form);
  const type = message.headers.get('content-type')!;
  return call('POST', `${MEDIA}/${id}/append`, { body: Buffer.from(await message.arrayBuffer()), type });
}
async function upload(category: string, type: string, bytes: Buffer): Promise<string> {
  const { json } = await start(category, type, bytes.length);
  const id: string = json.data.id;
  await append(id, { segment_index: '0', media: part(bytes) });
  await call('POST', `${MEDIA}/${id}/finalize`, { json: {} });
  return id;
}
const status = (id: string) => call('GET', `${MEDIA}?media_id=${id}&command=STATUS`);

describe('the authorize page', () => {
  test('shows Allow and Deny', async () => {
    const { status: code, back } = await authorize(host, { auto: '' });
    expect([code, back]).toEqual([200, null]);
  });
  test.each([
    { client_id: 'other' },
    { response_type: 'token' },
    { state: '' },
    { code_challenge_method: 'plain' },
    { code_challenge: 'short' },
    { redirect_uri: 'nowhere' },
    { scope: 'everything' },
  ])('refuses %j', async change => expect((await authorize(host, change)).status).toBe(400));
});

describe('the token endpoint', () => {
  const basic = `Basic ${Buffer.from(`${APP.client_id}:${APP.client_secret}`).toString('base64')}`;
  const token = async (headers: Record<string, string>, body: string) => {
    const url = 'https://api.x.com/2/oauth2/token';
    const answer = await host.http.send({ method: 'POST', url, headers, body, timeoutMs: 30_000 });
    return [answer.status, (JSON.parse(answer.body.toString()) as Answer).error];
  };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  test('requires client authentication', async () =>
    expect(await token(form, 'grant_type=refresh_token&refresh_token=x')).toEqual([
      401,
      'unauthorized_client',
    ]));
  test('accepts forms only', async () =>
    expect(await token({ authorization: basic, 'content-type': 'application/json' }, '{}')).toEqual([
      415,
      'invalid_request',
    ]));
  test('refuses other grant types', async () =>
    expect(await token({ ...form, authorization: basic }, 'grant_type=password')).toEqual([
      400,
      'unsupported_grant_type',
    ]));
});

describe('a bearer token', () => {
  const me = (token?: string | null) => call('GET', '/2/users/me', token === undefined ? {} : { token });

  test('must be known and unexpired', async () => {
    expect((await me()).status).toBe(200);
    expect((await me(null)).status).toBe(401);
    expect((await me('made-up')).status).toBe(401);
    host.advance(7200 * 1000);
    expect(await me()).toMatchObject({
      status: 401,
      json: { title: 'Unauthorized', detail: 'Unauthorized' },
    });
  });
  test('can be expired', async () => {
    host.platform.tokens('expire', 'someone-else');
    expect((await me()).status).toBe(200);
    host.platform.tokens('expire', grant.account.platform_user_id);
    expect((await me()).status).toBe(401);
  });
  test('must have the scopes of the call', async () => {
    grant = await connect(host, { scope: 'tweet.read users.read offline.access' });
    expect((await create({ text: 'no' })).status).toBe(403);
    expect(await start('tweet_image', 'image/jpeg', 1)).toMatchObject({
      status: 403,
      json: { detail: 'Forbidden' },
    });
  });
});

describe('media', () => {
  test.each([
    ['tweet_image', 'image/heic', 1, {}],
    ['post_image', 'image/jpeg', 1, {}],
    ['tweet_image', 'image/jpeg', -1, {}],
    ['tweet_image', 'image/jpeg', 1, { extra: true }],
    ['tweet_image', 'video/mp4', 1, {}],
    ['tweet_gif', 'image/png', 1, {}],
    ['tweet_image', 'image/jpeg', 5 * 1024 * 1024 + 1, {}],
    ['tweet_video', 'video/mp4', 512 * 1024 * 1024 + 1, {}],
    ['amplify_video', 'video/mp4', 512 * 1024 * 1024 + 1, {}],
  ] as const)('refuses to initialize %s %s %d %j', async (category, type, size, more) =>
    expect((await start(category, type, size, more)).status).toBe(400),
  );

  test('requires an index and a file of at most 2 MiB in each part', async () => {
    const { json } = await start('tweet_image', 'image/jpeg', jpeg.length);
    const id: string = json.data.id;
    expect(id).toMatch(/^\d{19}$/);
    expect((await append(id, { media: part(jpeg) })).status).toBe(400);
    expect((await append(id, { segment_index: '0' })).status).toBe(400);
    expect((await append(id, { segment_index: '1000', media: part(jpeg) })).status).toBe(400);
    expect((await append(id, { segment_index: '0', media: part(jpeg), more: 'x' })).status).toBe(400);
    expect(
      await append(id, { segment_index: '0', media: part(Buffer.alloc(2 * 1024 * 1024 + 1)) }),
    ).toMatchObject({ status: 413, text: '' });
    expect((await append('1', { segment_index: '0', media: part(jpeg) })).status).toBe(404);
    expect(await append(id, { segment_index: '0', media: part(jpeg) })).toMatchObject({ status: 200 });
    expect(await append(id, { segment_index: '1', media: part(jpeg) })).toMatchObject({
      status: 204,
      text: '',
    });
    const json64 = { segment_index: 0, media: jpeg.toString('base64') };
    expect((await call('POST', `${MEDIA}/${id}/append`, { json: json64 })).status).toBe(200);
  });

  test('finalizes with a JSON object, all parts and the declared type and size', async () => {
    const finalize = (id: string, json?: unknown) =>
      call('POST', `${MEDIA}/${id}/finalize`, json === undefined ? {} : { json });
    const { json } = await start('tweet_image', 'image/jpeg', jpeg.length);
    const id: string = json.data.id;
    expect(await finalize(id)).toMatchObject({
      status: 400,
      json: { errors: [{ message: 'Request body must be a JSON object.' }] },
    });
    expect((await finalize(id, {})).status).toBe(400);
    await append(id, { segment_index: '0', media: part(jpeg.subarray(0, 10)) });
    await append(id, { segment_index: '2', media: part(jpeg.subarray(10)) });
    expect((await finalize(id, {})).status).toBe(400);
    await append(id, { segment_index: '0', media: part(jpeg) });
    const png = await start('tweet_image', 'image/png', jpeg.length);
    await append(png.json.data.id, { segment_index: '0', media: part(jpeg) });
    expect((await finalize(png.json.data.id, {})).status).toBe(400);
  });

  test('processes videos; images are ready at once', async () => {
    host.setProcessing({ seconds: 10 });
    const id = await upload('tweet_video', 'video/mp4', noiseVideo(5000));
    host.advance(5000);
    expect((await status(id)).json.data.processing_info).toEqual({
      state: 'in_progress',
      progress_percent: 50,
      check_after_secs: 1,
    });
    expect((await create({ text: '', media: { media_ids: [id] } })).json.errors[0]?.message).toBe(
      'Your media IDs are invalid.',
    );
    host.advance(5000);
    expect((await status(id)).json.data.processing_info?.state).toBe('succeeded');
    expect(
      (await status(await upload('tweet_image', 'image/jpeg', jpeg))).json.data.processing_info,
    ).toBeUndefined();
    expect((await call('GET', `${MEDIA}?media_id=${id}`)).status).toBe(400);
  });

  test('fails to process a file that is not a video', async () => {
    const id = await upload('tweet_video', 'video/mp4', jpeg);
    expect((await status(id)).json.data.processing_info).toMatchObject({
      state: 'failed',
      error: { name: 'InvalidMedia', message: 'The file is not a video' },
    });
  });

  test('fails with the error in `errors`, or without a cause', async () => {
    host.setProcessing({ outcome: 'error', error: 'Unsupported profile' });
    const id = await upload('tweet_video', 'video/mp4', noiseVideo(5000));
    expect((await status(id)).json).toMatchObject({ errors: [{ detail: 'Unsupported profile' }] });
    host.setProcessing({ error: null });
    const { json } = await status(id);
    expect(json.data.processing_info?.state).toBe('failed');
    expect(json).not.toHaveProperty('errors');
    expect(json.data.processing_info).not.toHaveProperty('error');
  });

  test.each<[string, string, Partial<StoredMedia>, string | null]>([
    ['a valid video', 'tweet_video', {}, null],
    ['another codec', 'tweet_video', { video_codec: 'hevc' }, 'codec'],
    ['another audio codec', 'tweet_video', { audio_codec: 'opus' }, 'codec'],
    ['0.4 seconds', 'tweet_video', { duration: 0.4 }, '0.5 seconds'],
    ['120 frames per second', 'tweet_video', { frame_rate: 120 }, '60 frames'],
    ['2000 pixels', 'tweet_video', { width: 2000 }, '1280x1024'],
    ['a portrait video', 'tweet_video', { width: 720, height: 1280 }, null],
    ['an aspect ratio of 4:1', 'tweet_video', { width: 1200, height: 300 }, 'aspect ratio'],
    ['a large GIF', 'tweet_gif', { type: 'image/gif', width: 1281, height: 100 }, '1280x1080'],
  ])('processes %s as X does', (_, category, change, error) => {
    const file = { sha256: '', type: 'video/mp4', size: 1, width: 640, height: 360, duration: 6, ...change };
    const message = mediaError(category, file, Buffer.alloc(0));
    if (error === null) expect(message).toBeNull();
    else expect(message).toContain(error);
  });

  test.each([
    [350, null],
    [351, 'GIF has more than 350 frames'],
  ])('processes a GIF of %i frames as X does', (frames, error) => {
    const file = { sha256: '', type: 'image/gif', size: 1, width: 64, height: 64 };
    expect(mediaError('tweet_gif', file, gifOf(frames))).toBe(error);
  });

  test('fails to process a video without a picture', () => {
    const file = { sha256: '', type: 'video/mp4', size: 1, duration: 6, audio_codec: 'aac' };
    expect(mediaError('tweet_video', file, Buffer.alloc(0))).toContain('no picture');
  });

  test('requires the metadata wrapper and limits alternative text to images', async () => {
    const id = await upload('tweet_image', 'image/jpeg', jpeg);
    const describe = (json: object) => call('POST', '/2/media/metadata', { json });
    const text = (length: number) => ({ alt_text: { text: 'a'.repeat(length) } });
    expect((await describe({ id, metadata: text(1000) })).status).toBe(200);
    expect((await describe({ id, metadata: text(1001) })).status).toBe(400);
    expect((await describe({ id, ...text(1) })).status).toBe(400);
    const film = await upload('tweet_video', 'video/mp4', noiseVideo(100));
    expect((await describe({ id: film, metadata: text(1) })).status).toBe(400);
  });

  test('requires tweet_gif for an animated GIF', async () => {
    const frame = (background: string) =>
      sharp({ create: { width: 4, height: 3, channels: 3, background } })
        .png()
        .toBuffer();
    const still = await sharp(await frame('red'))
      .gif()
      .toBuffer();
    const moving = await sharp([await frame('red'), await frame('blue')], { join: { animated: true } })
      .gif()
      .toBuffer();
    expect([gifFrames(still), gifFrames(moving), gifFrames(jpeg)]).toEqual([1, 2, 0]);
    const asImage = await upload('tweet_image', 'image/gif', moving);
    expect((await create({ media: { media_ids: [asImage] } })).status).toBe(400);
    const [gif, image] = [
      await upload('tweet_gif', 'image/gif', moving),
      await upload('tweet_image', 'image/jpeg', jpeg),
    ];
    expect((await create({ media: { media_ids: [gif, image] } })).status).toBe(400);
    expect((await create({ media: { media_ids: [gif] } })).status).toBe(201);
  });

  test("does not find another user's or expired media", async () => {
    const id = await upload('tweet_image', 'image/jpeg', jpeg);
    const own = grant;
    grant = await connect(host, { as: 'demo_premium' });
    expect((await create({ text: 'mine?', media: { media_ids: [id] } })).status).toBe(400);
    expect((await status(id)).status).toBe(404);
    host.advance(86_400_000);
    grant = await connect(host);
    expect(grant.account).toEqual(own.account);
    expect((await create({ text: 'late', media: { media_ids: [id] } })).status).toBe(400);
  });
});

describe('a post', () => {
  test.each([
    [{}, 400],
    [{ text: ' ' }, 400],
    [{ text: 'a', colour: 'red' }, 400],
    [{ text: 'a', reply_settings: 'nobody' }, 400],
    [{ text: 'a', media: { media_ids: [] } }, 400],
    [{ text: 'a', media: { media_ids: ['1', '2', '3', '4', '5'] } }, 400],
    [{ text: 'a', media: { media_ids: ['12'] } }, 400],
    [{ text: 'a\uffff' }, 400],
    [{ text: '字'.repeat(141) }, 403],
    [{ text: '$AAPL $GOOG' }, 403],
    [{ text: '$AAPL $AAPL' }, 403],
    [{ text: `${'a'.repeat(279)}☕️` }, 403],
    [{ text: `${'a'.repeat(278)}☕️` }, 201],
    [{ text: `${'a'.repeat(276)}⭐❗️` }, 201],
  ])('gets %2$d for %j', async (body, code) => expect((await create(body)).status).toBe(code));

  test('is returned with t.co links and is a duplicate for a while', async () => {
    const text = 'a & b example.com';
    const { status: code, json } = await create({ text });
    expect([code, json.data.text]).toEqual([201, expect.stringMatching(/^a &amp; b https:\/\/t\.co\/\w+$/)]);
    expect(await create({ text })).toMatchObject({
      status: 403,
      json: { detail: expect.stringContaining('duplicate content') },
    });
    host.advance(6 * 60_000);
    expect((await create({ text })).status).toBe(201);
  });

  test('is not a duplicate with media', async () => {
    const media_ids = [await upload('tweet_image', 'image/jpeg', jpeg)];
    const [one, two] = [
      await create({ text: 'again', media: { media_ids } }),
      await create({ text: 'again', media: { media_ids } }),
    ];
    expect([one.status, two.status]).toEqual([201, 201]);
  });

  test('may be longer for Premium accounts', async () => {
    grant = await connect(host, { as: 'demo_premium' });
    expect((await create({ text: 'a'.repeat(281) })).status).toBe(201);
  });

  test('can be looked up with metrics and deleted', async () => {
    const { json } = await create({ text: `measured ${host.now()}` });
    const id: string = json.data.id;
    host.setMetrics(id, { likes: 3, comments: 2, shares: 1, views: 99 });
    for (const fields of ['tweet.fields', 'post.fields']) {
      const found = await call('GET', `/2/tweets?ids=${id},1&${fields}=public_metrics,created_at`);
      expect(found.json.data).toMatchObject([
        {
          public_metrics: {
            like_count: 3,
            retweet_count: 1,
            repost_count: 1,
            impression_count: 99,
          },
        },
      ]);
      expect(found.json.errors).toHaveLength(1);
    }
    expect((await call('DELETE', `/2/tweets/${id}`)).json).toEqual({ data: { deleted: true } });
    expect(host.posts().some(post => post.platform_post_id === id)).toBe(false);
    expect((await call('DELETE', `/2/tweets/${id}`)).status).toBe(404);
  });

  test('is limited to 100 in 15 minutes', async () => {
    const first = await create({ text: `limit ${host.now()}` });
    expect(first.headers).toMatchObject({ 'x-rate-limit-limit': '100', 'x-rate-limit-remaining': '99' });
    expect(first.headers).toHaveProperty('x-user-limit-24hour-remaining');
    for (let count = 1; count < 100; count += 1) await create({ text: '' });
    const over = await create({ text: 'over' });
    expect(over).toMatchObject({ status: 429, headers: { 'x-rate-limit-remaining': '0' } });
    host.advance(15 * 60_000);
    expect((await create({ text: 'over' })).status).toBe(201);
  });
});

test('the timeline shows posts late where it is told to', async () => {
  const at = host.now();
  const path = `/2/users/${grant.account.platform_user_id}/tweets?start_time=${new Date(at).toISOString()}`;
  host.platform.change?.('demo', { timeline_delay_ms: 60_000 });
  await create({ text: `late ${at}` });
  expect((await call('GET', path)).json.meta.result_count).toBe(0);
  host.advance(60_000);
  expect((await call('GET', path)).json.meta.result_count).toBe(1);
  host.platform.change?.('demo', { timeline_delay_ms: 0 });
});

test('the timeline validates its parameters', async () => {
  const path = `/2/users/${grant.account.platform_user_id}/tweets`;
  const at = host.now();
  await create({ text: `line ${at}` });
  const since = new Date(at).toISOString();
  expect((await call('GET', `${path}?start_time=${since}`)).json.meta.result_count).toBe(1);
  for (const query of [
    'max_results=4',
    'exclude=all',
    'tweet.fields=nothing',
    'start_time=today',
    'limit=5',
  ]) {
    expect((await call('GET', `${path}?${query}`)).status).toBe(400);
  }
  expect((await call('GET', '/2/users/1/tweets')).status).toBe(404);
});

test('reset deletes posts and keeps tokens', async () => {
  await create({ text: 'forget me' });
  host.platform.reset();
  expect((await create({ text: 'forget me' })).status).toBe(201);
});

describe('limits of the account', () => {
  afterEach(() => {
    host.setLimit(null);
    host.platform.change?.('demo', { suspended: false });
  });

  test.each([
    [185, 403, { detail: 'User is over daily status update limit.' }],
    [344, 403, { errors: [{ code: 344 }] }],
    [226, 403, { errors: [{ code: 226, message: expect.stringContaining('automated') }] }],
    ['credits', 402, { title: 'CreditsDepleted' }],
    ['usage-capped', 429, { title: 'UsageCapExceeded', period: 'Monthly' }],
    ['usage-capped-daily', 429, { title: 'UsageCapExceeded', period: 'Daily' }],
  ])('refuse posts with %s', async (code, expected, body) => {
    host.setLimit({ code });
    expect(await create({ text: `limited ${code}` })).toMatchObject({ status: expected, json: body });
    host.setLimit(null);
    expect((await create({ text: `limited ${code}` })).status).toBe(201);
  });

  test.each([
    [{}, 'x-user-limit-24hour'],
    [{ window: 'user_day' }, 'x-user-limit-24hour'],
    [{ window: 'app_day' }, 'x-app-limit-24hour'],
    [{ window: 'window' }, 'x-rate-limit'],
  ])('announce the reset of a window that is used up: %j', async (window, header) => {
    host.setLimit({ reset_seconds: 600, ...window });
    expect(await create({ text: 'over' })).toMatchObject({
      status: 429,
      headers: { [`${header}-remaining`]: '0', [`${header}-reset`]: String(host.now() / 1000 + 600) },
    });
  });

  test('suspend it', async () => {
    host.platform.change?.('demo', { suspended: true });
    expect(await create({ text: 'no' })).toMatchObject({
      status: 403,
      json: { detail: expect.stringContaining('suspended') },
    });
  });
});
