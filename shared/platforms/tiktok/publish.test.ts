import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { drive, type DriveOptions } from '../../../test/support/drive.ts';
import { padded, sampleFiles } from '../../../test/support/media.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { servedBucket } from '../../../test/support/served-bucket.ts';
import { connect, jobOf, optionsOf } from '../../../test/support/tiktok.ts';
import { unlimitedQuota } from '../../../test/support/unlimited-quota.ts';
import type { JsonObject } from '../../model/json.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';
import { APP } from './sandbox/state.ts';

const CREATOR = /creator_info/;
const INIT = /video\/init/;
const CONTENT = /content\/init/;
const STATUS = /status\/fetch/;
const UPLOAD = /open-upload/;
const HOUR = 3_600_000;
const BIG = 64_000_001;

let host: TestSandbox;
let served: Awaited<ReturnType<typeof servedBucket>>;
let file: (name: string) => Buffer;
let big: Buffer;
let grant: AnyGrant;
beforeAll(async () => {
  [host, served, file] = await Promise.all([startSandboxHost(sandbox), servedBucket(), sampleFiles()]);
  big = padded(file('clip.mp4'), BIG);
});
afterAll(() => Promise.all([host.close(), served.close()]));
beforeEach(async () => {
  host.advance(25 * HOUR);
  host.platform.reset();
  host.setProcessing({ seconds: 0, outcome: 'ok', error: null });
  host.setLimit(null);
  grant = await connect(host);
  host.traffic.length = 0;
});

type More = Partial<PublishJob> & { options?: JsonObject };
const video = (more: More = {}, bytes: Buffer = file('clip.mp4')) =>
  jobOf(host, grant, { media_urls: [host.addMedia('clip.mp4', bytes)], ...more });
const photos = (more: More = {}, names = ['photo.jpg']) =>
  jobOf(host, grant, {
    post_type: 'image',
    media_urls: names.map((name, index) => host.addMedia(`${index}-${name}`, file(name))),
    ...more,
  });
const run = (job: PublishJob, more: Partial<DriveOptions> = {}) =>
  drive(publisher, job, { ...optionsOf(host, grant, served.bucket), ...more });
const requests = (match: RegExp) => host.traffic.filter(({ url }) => match.test(url));
const bodies = (match: RegExp) =>
  requests(match).map(({ body }) => JSON.parse(body.toString()) as JsonObject);
const last = () => host.posts().at(-1)!;
const refusal = (status: number, code: string, message = 'Words') => ({
  status,
  body: JSON.stringify({ data: {}, error: { code, message, log_id: '1' } }),
});

describe('a video', () => {
  test('is announced with its settings, sent as one chunk and followed until it is live', async () => {
    host.setProcessing({ seconds: 20 });
    const { post, ran } = await run(video({ description: 'Hello #world' }));
    expect([...new Set(ran)].slice(0, 3)).toEqual(['creator', 'upload', 'publish']);
    const size = file('clip.mp4').length;
    expect(bodies(INIT)).toEqual([
      {
        post_info: {
          title: 'Hello #world',
          privacy_level: 'PUBLIC_TO_EVERYONE',
          disable_comment: true,
          disable_duet: true,
          disable_stitch: true,
          brand_content_toggle: false,
          brand_organic_toggle: false,
          is_aigc: false,
        },
        source_info: { source: 'FILE_UPLOAD', video_size: size, chunk_size: size, total_chunk_count: 1 },
      },
    ]);
    const [put, ...others] = requests(UPLOAD);
    expect(others).toEqual([]);
    expect(put!.headers).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(size),
      'content-range': `bytes 0-${size - 1}/${size}`,
    });
    expect(put!.headers).not.toHaveProperty('authorization');
    expect(last()).toMatchObject({
      kind: 'video',
      text: 'Hello #world',
      media: [{ type: 'video/mp4', size }],
    });
    expect(post).toMatchObject({
      platform_post_id: last().platform_post_id,
      platform_post_url: last().platform_post_url,
    });
  });

  test('asks the settings of the creator right before, and stores the id before the first byte', async () => {
    const { checkpoints } = await run(video());
    expect(host.traffic.slice(0, 3).map(({ url }) => url)).toEqual([
      expect.stringMatching(CREATOR),
      expect.stringMatching(INIT),
      expect.stringMatching(UPLOAD),
    ]);
    const announced = checkpoints.findIndex(({ state }) => state['publish_id'] !== null);
    expect(checkpoints[announced]).toMatchObject({ step: 'upload', state: { upload: { offset: 0 } } });
  });

  test('has its id at once where TikTok names it', async () => {
    host.platform.change!('app', { unnamed_reads: 0 });
    const { post } = await run(video());
    expect(requests(STATUS)).toHaveLength(1);
    expect(post.platform_post_id).toMatch(/^73\d{17}$/);
    expect(post).toMatchObject({
      platform_post_id: last().platform_post_id,
      platform_post_url: `https://www.tiktok.com/@demo/video/${last().platform_post_id}`,
    });
  });

  test.each(['clip.mov', 'clip.webm'])('of another format is sent with its type (%s)', async name => {
    await run(video({}, file(name)));
    const type = name === 'clip.mov' ? 'video/quicktime' : 'video/webm';
    expect(requests(UPLOAD)[0]!.headers['content-type']).toBe(type);
  });

  test('above 64 MB is sent in chunks, the last one with the rest', async () => {
    await run(video({ description: 'Big' }, big));
    expect(bodies(INIT)[0]!['source_info']).toMatchObject({
      chunk_size: 10_000_000,
      total_chunk_count: 6,
    });
    const ranges = requests(UPLOAD).map(({ headers }) => headers['content-range']);
    expect(ranges).toHaveLength(6);
    expect(ranges.at(-1)).toBe(`bytes 50000000-${BIG - 1}/${BIG}`);
    expect(last()).toMatchObject({ text: 'Big', media: [{ size: BIG }] });
  });

  test('is announced with another chunk size when TikTok refuses the usual one', async () => {
    host.platform.change!('app', { refused_chunk_bytes: [10_000_000, 20_000_000] });
    stopAtFirstChunk();
    await expect(run(video({}, big))).rejects.toMatchObject({ kind: 'rejected' });
    const sizes = bodies(INIT).map(({ source_info }) => (source_info as JsonObject)['chunk_size']);
    expect(sizes).toEqual([10_000_000, 20_000_000, 32_000_000]);
  });

  test('fails when TikTok refuses every chunk size', async () => {
    host.platform.change!('app', { refused_chunk_bytes: [10_000_000, 20_000_000, 32_000_000] });
    await expect(run(video({}, big))).rejects.toMatchObject({ kind: 'rejected', code: 'CONTENT_REJECTED' });
  });

  test('uses the chunk size of the app', async () => {
    const app = { ...APP, chunk_bytes: '32000000' };
    stopAtFirstChunk();
    await expect(run(video({}, big), { app })).rejects.toMatchObject({ kind: 'rejected' });
    expect(bodies(INIT)[0]!['source_info']).toMatchObject({ chunk_size: 32_000_000, total_chunk_count: 2 });
  });

  test('longer than the account may post is refused before it is announced', async () => {
    host.platform.change!('demo', { max_seconds: 5 });
    await expect(run(video())).rejects.toMatchObject({
      code: 'MEDIA_REJECTED',
      message: expect.stringMatching(/at most 5 seconds.*has [67]/),
    });
    expect(requests(INIT)).toEqual([]);
  });

  test('continues where TikTok stands after a failed chunk and a lost response', async () => {
    host.failNext({ match: UPLOAD, respond: { status: 500 } });
    const send: TestSandbox['http']['send'] = request => {
      if (requests(UPLOAD).length === 3) host.failNext({ match: UPLOAD, drop: 'after' });
      return host.http.send(request);
    };
    await run(video({ description: 'Resumed' }, big), { http: { ...host.http, send } });
    expect(requests(INIT)).toHaveLength(1);
    expect(last()).toMatchObject({ text: 'Resumed', media: [{ size: BIG }] });
  });

  test('is announced anew when its upload URL has expired', async () => {
    host.failNext({ match: UPLOAD, respond: { status: 403 } });
    await run(video({ description: 'Late' }));
    expect(requests(INIT)).toHaveLength(2);
    expect(host.posts().filter(({ text }) => text === 'Late')).toHaveLength(1);
    host.failNext({ match: UPLOAD, respond: { status: 404 } });
    stopAtFirstChunk();
    await expect(run(video({}, big))).rejects.toMatchObject({ kind: 'rejected' });
    expect(requests(INIT)).toHaveLength(4);
  });

  test('has an unknown outcome where a proxy answers in place of TikTok', async () => {
    host.failNext({ match: UPLOAD, respond: { status: 200, body: '<html></html>' } });
    await expect(run(video({}))).rejects.toMatchObject({ kind: 'transient', outcomeUnknown: true });
  });

  /** Ends a test about the announcement of a large file before all of it is sent. */
  const stopAtFirstChunk = () => host.failNext({ match: UPLOAD, respond: { status: 400 } });
});

describe('photos', () => {
  test('are fetched by TikTok from the bucket, converted and made smaller', async () => {
    const job = photos({ title: 'Trip', description: 'Day one #trip' }, [
      'photo.jpg',
      'photo.png',
      'tall.jpg',
    ]);
    const { post, ran } = await run(job);
    expect([...new Set(ran)].slice(0, 3)).toEqual(['creator', 'photos', 'publish']);
    const [{ source_info, ...request }] = bodies(CONTENT) as [JsonObject];
    expect(request).toEqual({
      post_info: {
        title: 'Trip',
        description: 'Day one #trip',
        privacy_level: 'PUBLIC_TO_EVERYONE',
        disable_comment: true,
        auto_add_music: false,
        brand_content_toggle: false,
        brand_organic_toggle: false,
      },
      post_mode: 'DIRECT_POST',
      media_type: 'PHOTO',
    });
    expect(source_info).toEqual({
      source: 'PULL_FROM_URL',
      photo_cover_index: 0,
      photo_images: Array.from({ length: 3 }, () => expect.stringContaining(served.url)),
    });
    const { media, kind, title } = last();
    expect([kind, title, media.map(({ type }) => type)]).toEqual([
      'photo',
      'Trip',
      Array(3).fill('image/jpeg'),
    ]);
    for (const { width = 0, height = 0 } of media) {
      expect(Math.min(width, height)).toBeLessThanOrEqual(1080);
      expect(Math.max(width, height)).toBeLessThanOrEqual(1920);
    }
    expect(post.platform_post_url).toBe(`https://www.tiktok.com/@demo/photo/${post.platform_post_id}`);
  });

  test('C031: one of them six pixels too wide is made smaller', async () => {
    const wide = await sharp({ create: { width: 1086, height: 1448, channels: 3, background: 'navy' } })
      .jpeg()
      .toBuffer();
    const urls = [host.addMedia('photo.jpg', file('photo.jpg')), host.addMedia('wide.jpg', wide)];
    await run(photos({ media_urls: urls }));
    expect(last().media[1]).toMatchObject({ width: 1080, height: 1440 });
  });

  test('from a domain that is not verified fail with what the operator must do', async () => {
    host.platform.change!('app', { verified: ['media.example.com'] });
    await expect(run(photos())).rejects.toMatchObject({
      kind: 'rejected',
      code: 'MEDIA_REJECTED',
      message: expect.stringContaining("verify the service's media domain"),
    });
  });

  test('B031: without a title get none from the description', async () => {
    await run(photos({ title: null, description: 'A long text' }));
    const info = bodies(CONTENT)[0]!['post_info'] as JsonObject;
    expect(info).toMatchObject({ description: 'A long text' });
    expect(info).not.toHaveProperty('title');
  });

  test('without title and text send an empty description only', async () => {
    await run(photos({ description: null, options: { tiktok_post_mode: 'MEDIA_UPLOAD' } }));
    expect(bodies(CONTENT)[0]!['post_info']).toEqual({ description: '' });
  });
});

describe('a draft', () => {
  const options = { tiktok_post_mode: 'MEDIA_UPLOAD' };

  test('of a video has no settings, asks for none, and ends in the inbox', async () => {
    const { post } = await run(video({ options }));
    expect(bodies(/inbox\/video\/init/)).toEqual([{ source_info: expect.anything() }]);
    expect(requests(CREATOR)).toEqual([]);
    expect(post).toMatchObject({
      platform_post_id: expect.stringMatching(/^v_inbox_file~/),
      platform_post_url: 'https://www.tiktok.com/messages',
    });
    expect(last().kind).toBe('draft');
  });

  test('of photos has their texts and nothing else', async () => {
    await run(
      photos({ title: 'Trip', description: 'Day one', options: { ...options, tiktok_allow_comment: true } }),
    );
    expect(bodies(CONTENT)[0]).toMatchObject({
      post_info: { title: 'Trip', description: 'Day one' },
      post_mode: 'MEDIA_UPLOAD',
    });
    expect(Object.keys(bodies(CONTENT)[0]!['post_info'] as JsonObject)).toEqual(['title', 'description']);
  });

  test('that its owner has published at once is a post', async () => {
    host.failNext({
      match: STATUS,
      respond: {
        status: 200,
        body: '{"data":{"status":"PUBLISH_COMPLETE","publicaly_available_post_id":[7301234567890123456,7301234567890123457]},"error":{"code":"ok"}}',
      },
    });
    expect((await run(video({ options }))).post).toMatchObject({
      platform_post_id: '7301234567890123456',
      platform_post_url: 'https://www.tiktok.com/@demo/video/7301234567890123456',
    });
  });

  test.each([
    ['five wait already', video, 'spam_risk_too_many_pending_share', 'rate_limited'],
    ["the user's app is too old", photos, 'app_version_check_failed', 'rejected'],
  ])('is refused when %s', async (_, make, code, kind) => {
    host.failNext({ match: /\/init/, respond: refusal(kind === 'rejected' ? 400 : 403, code) });
    await expect(run(make({ options }))).rejects.toMatchObject({ kind, keepsAccount: kind === 'rejected' });
  });
});

describe('a field', () => {
  const info = async (job: PublishJob) => {
    await run(job);
    return bodies(/\/init/).at(-1)!['post_info'] as JsonObject;
  };
  const options = (more: JsonObject) => ({ options: more });

  test.each<[JsonObject, JsonObject]>([
    [{ tiktok_allow_comment: true }, { disable_comment: false }],
    [{ tiktok_allow_duet: true }, { disable_duet: false }],
    [{ tiktok_allow_stitch: true }, { disable_stitch: false }],
    [{ tiktok_disable_comment: false }, { disable_comment: false }],
    [{ tiktok_disable_duet: false }, { disable_duet: false }],
    [{ tiktok_disable_stitch: true }, { disable_stitch: true }],
    [{ tiktok_allow_comment: true, tiktok_disable_comment: true }, { disable_comment: false }],
    [{ tiktok_allow_comment: false, tiktok_disable_comment: false }, { disable_comment: true }],
    [{ tiktok_brand_content_toggle: true }, { brand_content_toggle: true }],
    [{ tiktok_brand_organic_toggle: true }, { brand_organic_toggle: true }],
    [{ tiktok_is_aigc: true }, { is_aigc: true }],
    [{ tiktok_description: 'Own' }, { title: 'Own' }],
    [{ tiktok_privacy_level: 'public' }, { privacy_level: 'PUBLIC_TO_EVERYONE' }],
    [{ tiktok_privacy_level: 'friends' }, { privacy_level: 'MUTUAL_FOLLOW_FRIENDS' }],
    [{ tiktok_privacy_level: 'private' }, { privacy_level: 'SELF_ONLY' }],
    [{ tiktok_privacy_level: 'MUTUAL_FOLLOW_FRIENDS' }, { privacy_level: 'MUTUAL_FOLLOW_FRIENDS' }],
  ])('of a video, %j, becomes %j', async (given, expected) => {
    expect(await info(video(options(given)))).toMatchObject(expected);
  });

  test.each<[JsonObject, JsonObject]>([
    [{ tiktok_auto_add_music: true }, { auto_add_music: true }],
    [{ tiktok_allow_comment: true }, { disable_comment: false }],
    [
      { tiktok_brand_content_toggle: true, tiktok_brand_organic_toggle: true },
      { brand_content_toggle: true },
    ],
    [{ tiktok_description: 'Own' }, { description: 'Own' }],
  ])('of photos, %j, becomes %j', async (given, expected) => {
    expect(await info(photos(options(given)))).toMatchObject(expected);
  });

  test('that allows what the account forbids is sent as forbidden', async () => {
    host.platform.change!('demo', { comment_disabled: true, duet_disabled: true, stitch_disabled: true });
    const allowed = { tiktok_allow_comment: true, tiktok_allow_duet: true, tiktok_allow_stitch: true };
    expect(await info(video(options(allowed)))).toMatchObject({
      disable_comment: true,
      disable_duet: true,
      disable_stitch: true,
    });
  });
});

describe('before it is announced, a post', () => {
  test('with a privacy level that the account lacks is refused with those it has', async () => {
    grant = await connect(host, { as: 'demo_private' });
    await expect(run(video({ options: { tiktok_privacy_level: 'public' } }))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'CONTENT_REJECTED',
      message: expect.stringContaining('FOLLOWER_OF_CREATOR, MUTUAL_FOLLOW_FRIENDS, SELF_ONLY'),
    });
    expect(requests(INIT)).toEqual([]);
  });

  test('to followers of a private account is live without a public id', async () => {
    grant = await connect(host, { as: 'demo_private' });
    const { post } = await run(video({ options: { tiktok_privacy_level: 'FOLLOWER_OF_CREATOR' } }));
    expect(post.platform_post_id).toBe(last().platform_post_id);
  });

  test.each([
    ['spam_risk_too_many_posts', 'rate_limited', 'PLATFORM_RATE_LIMIT'],
    ['spam_risk_user_banned_from_posting', 'rejected', 'PERMISSION_MISSING'],
    ['reached_active_user_cap', 'rate_limited', 'PLATFORM_RATE_LIMIT'],
  ])('of a creator who cannot post (%s, with the status 200) is not sent', async (code, kind, failure) => {
    host.setLimit({ code });
    await expect(run(video())).rejects.toMatchObject({ kind, code: failure });
    expect(requests(INIT)).toEqual([]);
  });

  test.each([
    ['video.publish', {}],
    ['video.upload', { tiktok_post_mode: 'MEDIA_UPLOAD' }],
  ])('needs the permission %s', async (untick, options) => {
    grant = await connect(host, { untick });
    host.traffic.length = 0;
    await expect(run(video({ options }))).rejects.toMatchObject({
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining(untick),
    });
    expect(host.traffic).toEqual([]);
  });

  test('of an app that is not audited needs a private account, whatever its level', async () => {
    host.platform.change!('app', { audited: false });
    const own = { options: { tiktok_privacy_level: 'SELF_ONLY' } };
    await expect(run(video(own))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message: expect.stringMatching(/account itself to private/),
      keepsAccount: true,
    });
    grant = await connect(host, { as: 'demo_private' });
    await run(video({ ...own, description: 'Only mine' }));
    expect(last().text).toBe('Only mine');
  });

  test('is spaced out when the account announces more than six a minute', async () => {
    const spend = () => Promise.reject(new Error('spent'));
    const quota = { ...unlimitedQuota(), spend };
    for (const job of [video(), photos()]) await expect(run(job, { quota })).rejects.toThrow('spent');
    expect(requests(/\/init/)).toEqual([]);
  });
});
