import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { apngOf } from '../../../test/support/bad-files.ts';
import { contextOf, drive, reconcile } from '../../../test/support/drive.ts';
import { allTaken } from '../../../test/support/identify.ts';
import { animatedWebp, gifOf, soundOnly } from '../../../test/support/moving-files.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { PATIENT } from '../../../test/support/server.ts';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { connect, fakeVideo, jobOf, optionsOf } from '../../../test/support/x.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';

const MIB = 1024 * 1024;
const CREATE = /\/2\/tweets$/;
const TIMELINE = /\/users\/\d+\/tweets/;
const APPEND = /\/append$/;
const UPLOADED = /\/initialize$/;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let host: TestSandbox;
let grant: AnyGrant;
let jpeg: Buffer;
let gif: Buffer;
beforeAll(async () => {
  host = await startSandboxHost(sandbox);
  const plain = { create: { width: 40, height: 30, channels: 3, background: 'teal' } } as const;
  jpeg = await sharp(plain).jpeg().toBuffer();
  const frames = await Promise.all(
    ['red', 'blue'].map(background =>
      sharp({ create: { ...plain.create, background } })
        .png()
        .toBuffer(),
    ),
  );
  gif = await sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer();
});
afterAll(() => host.close());
beforeEach(async () => {
  host.advance(20 * 60_000);
  grant = await connect(host);
  host.setProcessing({ seconds: 0, outcome: 'ok', error: null });
  host.setLimit(null);
});

const job = (more: Partial<PublishJob> = {}) => jobOf(host, grant, more);
const run = (post: PublishJob, more = {}) => drive(publisher, post, { ...optionsOf(host, grant), ...more });
const reconcileAt = (post: PublishJob, intentAt: number) =>
  reconcile(publisher, post, publisher.start(post), intentAt, optionsOf(host, grant));
const video = (bytes: Buffer, more: Partial<PublishJob> = {}) =>
  job({ post_type: 'video', media_urls: [host.addMedia('clip', bytes)], ...more });
const images = (files: Buffer[], more: Partial<PublishJob> = {}) =>
  job({
    post_type: 'image',
    media_urls: files.map((bytes, index) => host.addMedia(`p${index}`, bytes)),
    ...more,
  });
const last = () => host.posts().at(-1)!;
const requests = (match: RegExp) => host.traffic.filter(({ url }) => match.test(url)).length;

describe('a text post', () => {
  test('is one request', async () => {
    const { post, ran } = await run(
      job({ description: 'Go to example.com & see', options: { x_reply_settings: 'following' } }),
    );
    expect(ran).toEqual(['publish']);
    expect(post.platform_post_id).toMatch(/^\d{19}$/);
    expect(post.platform_post_url).toBe(`https://x.com/demo/status/${post.platform_post_id}`);
    expect(last().fields).toEqual({ text: 'Go to example.com & see', reply_settings: 'following' });
  });

  test.each([
    [{ status: 401, body: '{"title":"Unauthorized"}' }, { kind: 'token_expired' }],
    [
      {
        status: 402,
        body: '{"title":"CreditsDepleted","detail":"no credits","type":"https://api.twitter.com/2/problems/credits"}',
      },
      { kind: 'rejected', code: 'QUOTA_EXHAUSTED' },
    ],
    [
      { status: 403, body: '{"detail":"You are not permitted to perform this action."}' },
      { kind: 'rejected', code: 'CONTENT_REJECTED' },
    ],
    [
      { status: 403, body: '{"detail":"User is suspended","type":"about:blank"}' },
      { code: 'PERMISSION_MISSING' },
    ],
    [
      { status: 429, body: '{"title":"UsageCapExceeded","period":"Monthly"}' },
      { kind: 'rejected', code: 'QUOTA_EXHAUSTED' },
    ],
    [
      { status: 429, body: '{"title":"UsageCapExceeded","period":"Daily"}' },
      { kind: 'rate_limited', retryAfterMs: 82_800_000 },
    ],
    [
      { status: 429, body: '' },
      { kind: 'rate_limited', retryAfterMs: 900_000 },
    ],
    [
      { status: 403, body: '{"detail":"User is over daily status update limit.","title":"Forbidden"}' },
      { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: 1_800_000, outcomeUnknown: false },
    ],
    [
      {
        status: 403,
        body: '{"errors":[{"code":344,"message":"You have reached your daily limit for sending Tweets and messages. Please try again later."}]}',
      },
      { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: 1_800_000 },
    ],
    [
      { status: 403, body: '{"errors":[{"code":185,"message":"Too many"}]}' },
      { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: 1_800_000 },
    ],
    [
      {
        status: 403,
        body: '{"errors":[{"code":226,"message":"This request looks like it might be automated. Try again later."}]}',
      },
      { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: 3_600_000, retries: 1 },
    ],
    [
      { status: 403, body: '{"errors":[{"code":187,"message":"Status is a duplicate."}]}' },
      { kind: 'rejected', code: 'DUPLICATE_REJECTED' },
    ],
    [
      { status: 403, body: '{"errors":[{"code":326,"message":"To protect our users"}]}' },
      { kind: 'rejected', code: 'PERMISSION_MISSING' },
    ],
    [
      {
        status: 403,
        body: '{"reason":"client-not-enrolled","type":"https://api.x.com/2/problems/client-forbidden"}',
      },
      { kind: 'rejected', code: 'QUOTA_EXHAUSTED' },
    ],
    [
      {
        status: 404,
        body: '{"title":"Not Found Error","type":"https://api.x.com/2/problems/resource-not-found"}',
      },
      { kind: 'rejected', code: 'CONTENT_REJECTED' },
    ],
    [
      { status: 400, body: '{"errors":[{"message":"Request body must be a JSON object."}]}' },
      { kind: 'rejected', code: 'INTERNAL' },
    ],
    [
      { status: 500, body: '{"title":"Internal Error","type":"about:blank","status":500}' },
      { kind: 'transient', outcomeUnknown: true },
    ],
    [
      { status: 503, body: '<html>' },
      { kind: 'transient', outcomeUnknown: true },
    ],
    [
      { status: 408, body: '' },
      { kind: 'transient', outcomeUnknown: true },
    ],
    [
      { status: 200, body: '<html>' },
      { kind: 'transient', outcomeUnknown: true },
    ],
    [
      { status: 201, body: '{"data":{}}' },
      { kind: 'transient', outcomeUnknown: true },
    ],
  ])('with the response %j fails with %j', async (respond, error) => {
    host.failNext({ match: CREATE, respond });
    await expect(run(job())).rejects.toMatchObject(error);
  });

  test('waits for the rate limit window that resets last', async () => {
    const at = (seconds: number) => String(host.now() / 1000 + seconds);
    const headers = {
      'x-rate-limit-remaining': '0',
      'x-rate-limit-reset': at(90),
      'x-user-limit-24hour-remaining': '0',
      'x-user-limit-24hour-reset': at(3600),
      'x-app-limit-24hour-remaining': '5',
      'x-app-limit-24hour-reset': at(7200),
    };
    host.failNext({ match: CREATE, respond: { status: 429, headers } });
    await expect(run(job())).rejects.toMatchObject({ kind: 'rate_limited', retryAfterMs: 3_600_000 });
  });

  test('waits for the reset of a limit that X announces', async () => {
    host.setLimit({ reset_seconds: 600 });
    await expect(run(job())).rejects.toMatchObject({ kind: 'rate_limited', retryAfterMs: 600_000 });
  });

  test('with a text that X already has is rejected as a duplicate', async () => {
    await run(job({ description: 'twice' }));
    await expect(run(job({ description: 'twice' }))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'DUPLICATE_REJECTED',
    });
  });
});

describe('a create request whose response was lost', () => {
  test.each(['plain', 'a < b & c example.com https://example.com/x', 'e\u0301 字'])(
    'is found by its text: %s',
    async description => {
      const post = job({ description });
      const intentAt = host.now();
      host.failNext({ match: CREATE, drop: 'after' });
      await expect(run(post)).rejects.toMatchObject({ kind: 'transient', outcomeUnknown: true });
      host.advance(30_000);
      expect(await reconcileAt(post, intentAt)).toEqual({
        type: 'published',
        post: {
          platform_post_id: last().platform_post_id,
          platform_post_url: last().platform_post_url,
          published_at: intentAt,
        },
      });
    },
  );

  test('is absent when only an older post has the same text', async () => {
    const post = job({ description: 'seen before' });
    await run(post);
    host.advance(60_000);
    expect(await reconcileAt(post, host.now())).toEqual({ type: 'absent' });
  });

  test('is found also when an earlier request shows only after its repetition', async () => {
    const post = job({ description: 'seen late', due_at: host.now() });
    await run(post);
    host.advance(600_000);
    const repeated = { ...optionsOf(host, grant), repeatedAfterLoss: true };
    const from = publisher.start(post);
    const finding = await reconcile(publisher, post, from, host.now(), repeated);
    expect(finding).toMatchObject({ type: 'published', post: { platform_post_id: last().platform_post_id } });
  });

  test('is absent when the only post with its text is that of another post of the account', async () => {
    const post = job({ description: 'twice' });
    await run(post);
    const { identify, asked } = allTaken();
    const options = { ...optionsOf(host, grant), identify };
    const from = publisher.start(post);
    expect(await reconcile(publisher, post, from, host.now(), options)).toEqual({ type: 'absent' });
    expect(asked).toEqual([last().platform_post_id]);

    const [step] = publisher.plan(post);
    const repeated = step!.run({ ...contextOf(post, options), repeatedAfterLoss: true }, from);
    await expect(repeated).rejects.toMatchObject({ code: 'DUPLICATE_REJECTED' });
  });

  test('is distinguished from another post of the same text by its media', async () => {
    await run(images([jpeg], { description: '' }));
    const post = images([jpeg], { description: '' });
    let checkpoint = publisher.start(post);
    host.failNext({ match: CREATE, drop: 'before' });
    await expect(run(post, { onCheckpoint: (at: typeof checkpoint) => (checkpoint = at) })).rejects.toThrow();
    const finding = await reconcile(publisher, post, checkpoint, host.now(), optionsOf(host, grant));
    expect(finding).toEqual({ type: 'absent' });
  });

  test('is found by its media, however X shows the text', async () => {
    const post = images([jpeg], { description: 'see clip.mp4' });
    let checkpoint = publisher.start(post);
    host.failNext({ match: CREATE, drop: 'after' });
    await expect(run(post, { onCheckpoint: (at: typeof checkpoint) => (checkpoint = at) })).rejects.toThrow();
    const find = (text: string) =>
      reconcile(publisher, { ...post, text }, checkpoint, host.now(), optionsOf(host, grant));
    expect(await find('see clip.mp4')).toMatchObject({ type: 'published' });
    expect(await find('another text')).toMatchObject({ type: 'published' });
  });

  test.each([
    { detail: 'The query parameter [tweet.fields] is not one of [post.fields]' },
    { errors: [{ message: 'The query parameter [tweet.fields] is unknown' }] },
    { errors: [{ message: 'Unknown parameter', parameters: { 'tweet.fields': ['created_at'] } }] },
    { title: 'Invalid Request', parameter: 'tweet.fields', value: 'created_at' },
  ])('is looked up with the new name of the fields when X rejects the old one: %j', async body => {
    const post = job({ description: `renamed ${JSON.stringify(body)}` });
    await run(post);
    host.failNext({ match: TIMELINE, respond: { status: 400, body: JSON.stringify(body) } });
    expect(await reconcileAt(post, host.now())).toMatchObject({ type: 'published' });
  });

  test('is published when the repetition is rejected as a duplicate, whether X shows it or not', async () => {
    const post = job({ description: 'slow to show' });
    host.failNext({ match: CREATE, drop: 'after' });
    await expect(run(post)).rejects.toThrow();
    const [step] = publisher.plan(post);
    const repeat = () =>
      step!.run(
        { ...contextOf(post, optionsOf(host, grant)), repeatedAfterLoss: true },
        publisher.start(post),
      );
    expect(await repeat()).toMatchObject({
      type: 'published',
      post: { platform_post_id: last().platform_post_id },
    });
    host.failNext({ match: TIMELINE, respond: { status: 400, body: '{}' } });
    await expect(repeat()).rejects.toMatchObject({ kind: 'rejected', outcomeUnknown: true });
    host.failNext({ match: TIMELINE, respond: { status: 200, body: '{"meta":{"result_count":0}}' } });
    expect(await repeat()).toMatchObject({
      type: 'published',
      post: { platform_post_id: 'unknown', platform_post_url: null },
    });
  });
});

describe('media', () => {
  test('of four images get their own alt texts, and none where there is none', async () => {
    const { ran } = await run(
      images([jpeg, jpeg, jpeg, jpeg], { description: null, alt_texts: ['Teal', 'Red', null, 'Blue'] }),
    );
    expect(ran).toEqual(['upload', 'process', 'describe', 'publish']);
    expect(last()).toMatchObject({
      kind: 'image',
      text: '',
      fields: { alt_texts: ['Teal', 'Red', 'Blue'] },
    });
    expect(last().media.map(({ sha256: hash }) => hash)).toEqual(Array(4).fill(sha256(jpeg)));
  });

  test('fail transiently when a proxy responds to every upload of a part', async () => {
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Welcome</html>' };
    host.failNext({ match: APPEND, respond: page, times: 3 });
    await expect(run(images([jpeg]))).rejects.toMatchObject({
      kind: 'transient',
      code: 'PLATFORM_UNAVAILABLE',
    });
  });

  test('are published without alt text when X rejects it', async () => {
    host.failNext({ match: /metadata/, respond: { status: 500 } });
    await run(images([jpeg], { description: 'undescribed', alt_texts: ['Teal'] }));
    expect(last().text).toBe('undescribed');
  });

  test('keep an animated GIF, which must be alone', async () => {
    await run(images([gif], { description: 'moving' }));
    expect(last().media).toMatchObject([{ type: 'image/gif', sha256: sha256(gif) }]);
    await expect(run(images([jpeg, gif]))).rejects.toMatchObject({
      code: 'MEDIA_REJECTED',
      message: expect.stringContaining('must be the only one of its post'),
    });
  });

  // C013: X shows only GIFs in motion.
  test('that are animated and no GIF are sent as still images, also beside others', async () => {
    const apng = apngOf(await sharp(jpeg).png().toBuffer());
    await run(images([apng, jpeg, await animatedWebp()], { description: 'still' }));
    expect(last().media.map(({ type }) => type)).toEqual(['image/jpeg', 'image/jpeg', 'image/jpeg']);
  });

  // C016, C017
  test.each<[string, 'image' | 'video', () => Buffer | Promise<Buffer>, RegExp]>([
    ['a GIF with too many frames', 'image', () => gifOf(351), /number of frames is 351; at most 350/],
    ['a video without a picture', 'video', () => soundOnly(), /has no picture/],
  ])('that are %s are refused before the first byte is sent', async (_, post_type, make, message) => {
    const before = host.traffic.length;
    const media_urls = [host.addMedia('odd', await make())];
    await expect(run(job({ post_type, media_urls }))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'MEDIA_REJECTED',
      message: expect.stringMatching(message),
    });
    expect(host.traffic.length).toBe(before);
  });

  test('over 5 MB are compressed', async () => {
    const noise = await sharp({
      create: {
        width: 1600,
        height: 1600,
        channels: 3,
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
        background: 'black',
      },
    })
      .png({ compressionLevel: 0 })
      .toBuffer();
    expect(noise.length).toBeGreaterThan(5 * MIB);
    await run(images([noise], { description: 'large' }));
    expect(last().media[0]!.size).toBeLessThanOrEqual(5 * MIB);
  });

  test('of a video are uploaded in parts, and published after processing', async () => {
    const bytes = fakeVideo(20 * MIB + 5);
    host.setProcessing({ seconds: 3 });
    const before = requests(APPEND);
    const { ran, waitedMs } = await run(video(bytes, { description: 'film' }));
    expect(ran.filter(name => name === 'upload')).toHaveLength(2);
    expect(requests(APPEND) - before).toBe(21);
    expect(waitedMs).toBeGreaterThanOrEqual(3000);
    expect(last()).toMatchObject({ kind: 'video', media: [{ type: 'video/mp4', sha256: sha256(bytes) }] });
  });

  describe('that are interrupted in the 17th part of 18', () => {
    const bytes = fakeVideo(18 * MIB);
    const interrupted = (status: number) => {
      let left = 17;
      const send: TestSandbox['http']['send'] = request => {
        if (APPEND.test(request.url)) left -= 1;
        if (APPEND.test(request.url) && (status === 503 ? left <= 0 : left === 0))
          host.failNext({ match: APPEND, respond: { status } });
        return host.http.send(request);
      };
      return { ...host.http, send };
    };

    test('by an error are resumed from the last checkpoint', async () => {
      const post = video(bytes, { description: 'bumpy' });
      let checkpoint = publisher.start(post);
      const onCheckpoint = (at: typeof checkpoint) => (checkpoint = at);
      await expect(run(post, { onCheckpoint, http: interrupted(503) })).rejects.toMatchObject({
        kind: 'transient',
      });
      const before = requests(APPEND);
      await run(post, { from: checkpoint });
      expect(requests(APPEND) - before).toBe(2);
      expect(last().media[0]!.sha256).toBe(sha256(bytes));
    });

    test('by an expired upload session are uploaded from the start', async () => {
      await run(video(bytes, { description: 'forgotten' }), { http: interrupted(404) });
      expect(last()).toMatchObject({ text: 'forgotten', media: [{ sha256: sha256(bytes) }] });
    });
  });

  describe('whose parts X does not accept', () => {
    const sizes = () =>
      host.traffic
        .filter(({ url, status }) => APPEND.test(url) && status !== 0)
        .map(({ body }) => Math.round(body.length / (MIB / 2)) / 2);

    test.each([413, 431])('with status %i are uploaded in smaller ones', async status => {
      const bytes = fakeVideo(2 * MIB);
      const begun = sizes().length;
      host.failNext({ match: APPEND, respond: { status } });
      await run(video(bytes, { description: `smaller after ${status}` }));
      expect(sizes().slice(begun)).toEqual([1, 0.5, 0.5, 0.5, 0.5]);
      expect(last().media).toMatchObject([{ sha256: sha256(bytes) }]);
    });

    test('are rejected when X does not accept smaller ones either', async () => {
      host.failNext({ match: APPEND, respond: { status: 413 }, times: 2 });
      await expect(run(video(fakeVideo(MIB)))).rejects.toMatchObject({
        kind: 'rejected',
        code: 'MEDIA_REJECTED',
        message: expect.stringContaining('parts of 524288 bytes'),
      });
    });

    test('stay small when the file is uploaded again', async () => {
      const begun = sizes().length;
      host.failNext({ match: APPEND, respond: { status: 413 } });
      const invalid = { errors: [{ message: 'Your media IDs are invalid.' }] };
      host.failNext({ match: CREATE, respond: { status: 400, body: JSON.stringify(invalid) } });
      await run(video(fakeVideo(MIB), { description: 'small twice' }));
      expect(sizes().slice(begun)).toEqual([1, 0.5, 0.5, 0.5, 0.5]);
    });
  });

  test('are not uploaded when too little time is left', async () => {
    const post = video(fakeVideo(MIB));
    const [step] = publisher.plan(post);
    const context = contextOf(post, { ...optionsOf(host, grant), remainingMs: () => 5000 });
    expect(await step!.run(context, publisher.start(post))).toMatchObject({ type: 'again' });
  });

  test('that X cannot process are rejected with its reason', async () => {
    host.setProcessing({ outcome: 'error', error: 'unsupported codec' });
    await expect(run(video(fakeVideo(MIB)))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'MEDIA_REJECTED',
      message: expect.stringContaining('unsupported codec'),
    });
  });

  test('are uploaded once when the create request fails twice', async () => {
    const post = images([jpeg, jpeg, jpeg], { description: 'third time' });
    const begun = requests(UPLOADED);
    let checkpoint = publisher.start(post);
    const onCheckpoint = (at: typeof checkpoint) => (checkpoint = at);
    host.failNext({ match: CREATE, respond: { status: 500 }, times: 2 });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(run(post, { from: checkpoint, onCheckpoint })).rejects.toMatchObject({
        kind: 'transient',
      });
    }
    await run(post, { from: checkpoint });
    expect(last()).toMatchObject({ text: 'third time', media: Array(3).fill({ sha256: sha256(jpeg) }) });
    expect(requests(UPLOADED) - begun).toBe(3);
  });

  test('are uploaded again, once, when X rejects their ids', async () => {
    const invalid = {
      status: 400,
      body: JSON.stringify({ errors: [{ message: 'Your media IDs are invalid.' }] }),
    };
    host.failNext({ match: CREATE, respond: invalid });
    await run(video(fakeVideo(MIB), { description: 'second try' }));
    expect(last().text).toBe('second try');
    host.failNext({ match: CREATE, respond: invalid, times: 2 });
    await expect(run(video(fakeVideo(MIB)))).rejects.toMatchObject({ code: 'MEDIA_REJECTED' });
  });

  test('without the permission to upload fail, before the first byte where the missing scope is known', async () => {
    const narrow = await connect(host, { scope: 'tweet.read tweet.write users.read offline.access' });
    const post = images([jpeg]);
    const missing = { kind: 'rejected', code: 'PERMISSION_MISSING' };
    await expect(run(post, { credentials: narrow.credentials })).rejects.toMatchObject(missing);
    const before = host.traffic.length;
    await expect(
      run({ ...post, account: { ...post.account, attributes: narrow.attributes } }),
    ).rejects.toMatchObject(missing);
    expect(host.traffic.length).toBe(before);
  });

  test.each([
    ['a web page', 'image', Buffer.from('<!doctype html><p>Sign in'), 'web page'],
    ['a text', 'video', Buffer.from('plain'), 'not recognized'],
    ['an image in a video post', 'video', null, 'is JPG, which is not a video'],
    ['an empty file', 'image', Buffer.alloc(0), 'empty'],
  ] as const)('that are %s are rejected', async (_, post_type, bytes, words) => {
    const media_urls = [host.addMedia('odd', bytes ?? jpeg)];
    await expect(run(job({ post_type, media_urls }))).rejects.toMatchObject({
      code: 'MEDIA_REJECTED',
      message: expect.stringContaining(words),
    });
  });

  test('that do not exist or have a private address are rejected', async () => {
    for (const url of [`${host.url}/_media/none`, 'http://169.254.169.254/latest']) {
      await expect(run(job({ post_type: 'image', media_urls: [url] }))).rejects.toMatchObject({
        kind: 'rejected',
        code: 'MEDIA_REJECTED',
      });
    }
  });
});

describe('a media host', () => {
  const bytes = fakeVideo(3 * MIB + 7);
  let origin: Server;
  let base: string;
  let seen: (string | undefined)[] = [];
  beforeAll(async () => {
    let ranges = 0;
    origin = createServer(PATIENT, (request, response) => {
      seen.push(request.headers['accept-encoding']);
      const mode = request.url!.slice(1);
      const [from, to] = (/bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? []).slice(1).map(Number);
      const honours = mode === 'flaky' ? ++ranges < 3 : mode === 'short';
      if (mode === 'moved') return void response.writeHead(302, { location: '/ranges-off' }).end();
      if (mode === 'busy') return void response.writeHead(503).end();
      if (mode === 'zipped') return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes);
      if (honours && from !== undefined) {
        const piece = bytes.subarray(from, mode === 'short' ? Math.min(to!, from + 5000) : to! + 1);
        response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${bytes.length}` });
        return void response.end(piece);
      }
      response.writeHead(200, mode === 'lengthless' ? {} : { 'content-length': String(bytes.length) });
      response.end(bytes);
    });
    await new Promise<void>(resolve => origin.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(origin.address() as AddressInfo).port}`;
  });
  beforeEach(() => void (seen = []));
  afterAll(() => {
    origin.closeAllConnections();
    origin.close();
  });
  const from = (mode: string) =>
    job({ post_type: 'video', description: mode, media_urls: [`${base}/${mode}`] });

  test.each(['ranges-off', 'lengthless', 'moved', 'flaky'])('of kind %s delivers every byte', async mode => {
    await run(from(mode));
    expect(last()).toMatchObject({ text: mode, media: [{ sha256: sha256(bytes) }] });
    expect(new Set(seen)).toEqual(new Set(['identity']));
  });

  test.each(['busy', 'zipped', 'short'])('of kind %s fails transiently, and nothing is sent', mode =>
    expect(run(from(mode))).rejects.toMatchObject({ kind: 'transient', outcomeUnknown: false }),
  );
});
