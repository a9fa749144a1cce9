import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { drive, type DriveOptions } from '../../../test/support/drive.ts';
import {
  connected,
  jobOf,
  optionsOf,
  servedBucket,
  type Connected,
} from '../../../test/support/instagram.ts';
import { padded, sampleFiles } from '../../../test/support/media.ts';
import type { MemoryBucket } from '../../../test/support/memory-bucket.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import type { Checkpoint } from '../../model/destination.ts';
import type { PostContent } from '../kit/draft.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';

const HOUR = 3_600_000;
const MIB = 1024 ** 2;
const PUBLISH = /media_publish/;
const STATUS = /fields=status_code/;

let sample: (name: string) => Buffer;
let jpeg: Buffer;
let png: Buffer;
beforeAll(async () => {
  sample = await sampleFiles();
  const plain = {
    width: 400,
    height: 300,
    channels: 4,
    background: { r: 0, g: 128, b: 128, alpha: 0 },
  } as const;
  jpeg = await sharp({ create: plain }).flatten({ background: 'teal' }).jpeg().toBuffer();
  png = await sharp({ create: plain }).png().toBuffer();
});

let host: TestSandbox;
let who: Connected;
let bucket: MemoryBucket;
const opened: TestSandbox[] = [];
beforeEach(async () => {
  host = await startSandboxHost(sandbox);
  opened.push(host);
  who = await connected(host);
  bucket = servedBucket(host);
});
afterAll(async () => {
  await Promise.all(opened.map(each => each.close()));
});

const run = (content: Partial<PostContent>, more: Partial<DriveOptions> = {}) =>
  drive(publisher, jobOf(host, who, content), { ...optionsOf(host, who, bucket), ...more });
const image = (name = 'a', bytes = jpeg) => host.addMedia(name, bytes);
const images = (count: number) => Array.from({ length: count }, (_, index) => image(`p${index}`));
const video = (bytes = sample('clip.mp4'), more: Partial<PostContent> = {}): Partial<PostContent> => ({
  post_type: 'video',
  media_urls: [host.addMedia('clip', bytes)],
  ...more,
});
const last = () => host.posts().at(-1)!;
const requests = (match: RegExp, method?: string) =>
  host.traffic.filter(each => match.test(each.url) && (method ?? each.method) === each.method);
const created = () =>
  requests(/\/media(?:\?|$)/, 'POST').map(({ body }) =>
    Object.fromEntries(new URLSearchParams(body.toString())),
  );
const mode = (change: object) => host.platform.change!('demo', { ...change });
const graph = (code: number, subcode?: number, message = 'No') => ({
  status: 400,
  body: JSON.stringify({ error: { message, type: 'OAuthException', code, error_subcode: subcode } }),
});

describe.each(['instagram', 'facebook'] as const)('with %s login', way => {
  beforeEach(async () => {
    who = await connected(host, way);
  });

  test('an image is published with all of its fields', async () => {
    const { post } = await run({
      description: 'Hello #a @b & more\nnext line',
      media_urls: [image()],
      first_comment: 'First @comment',
      options: {
        instagram_alt_text: 'A cat',
        instagram_user_tags: '@natgeo, second.user',
        instagram_collaborators: 'friend1,@friend2',
        instagram_location_id: '7640348500',
      },
    });
    expect(last().fields).toMatchObject({
      image_url: expect.stringContaining('/_media/'),
      caption: 'Hello #a @b & more\nnext line',
      alt_text: 'A cat',
      user_tags: '[{"username":"natgeo","x":0.333,"y":0.5},{"username":"second.user","x":0.667,"y":0.5}]',
      collaborators: '["friend1","friend2"]',
      location_id: '7640348500',
    });
    expect(last()).toMatchObject({ kind: 'image', comments: [{ text: 'First @comment' }] });
    expect(post).toMatchObject({
      platform_post_id: last().platform_post_id,
      platform_post_url: expect.stringMatching(/^https:\/\/www\.instagram\.com\/p\/[\w-]+\/$/),
    });
    expect(new Set(host.traffic.slice(-5).map(({ url }) => new URL(url).host))).toEqual(
      new Set([`graph.${way}.com`]),
    );
  });

  test('images are published as a carousel in their order, with what belongs to the whole on the parent', async () => {
    const media_urls = await Promise.all(
      ['red', 'green', 'blue'].map(async (background, index) => {
        const plain = { width: 40, height: 40, channels: 3, background } as const;
        return image(`c${index}`, await sharp({ create: plain }).jpeg().toBuffer());
      }),
    );
    await run({
      media_urls,
      media_alt_texts: ['One', null, 'Three'],
      options: {
        instagram_user_tags: 'natgeo',
        instagram_collaborators: 'friend1',
        instagram_location_id: '7640348500',
      },
    });
    const [first, second, third, parent] = created();
    expect([first, second, third].map(each => each?.['is_carousel_item'])).toEqual(['true', 'true', 'true']);
    expect([first, second, third].map(each => each?.['alt_text'])).toEqual(['One', undefined, 'Three']);
    expect([first, second, third].map(each => each?.['user_tags'])).toEqual([
      '[{"username":"natgeo","x":0.5,"y":0.5}]',
      undefined,
      undefined,
    ]);
    for (const child of [first, second, third]) {
      for (const name of ['caption', 'collaborators', 'location_id']) expect(child).not.toHaveProperty(name);
    }
    expect(parent).toMatchObject({
      media_type: 'CAROUSEL',
      caption: 'Hello',
      collaborators: '["friend1"]',
      location_id: '7640348500',
    });
    expect(last().kind).toBe('carousel_album');
    expect(last().media.map(({ sha256 }) => sha256)).toHaveLength(3);
    expect(last().fields['children']).toBe(parent?.['children']);
    const urls = last().fields['children_fields'] as { image_url: string }[];
    expect(urls.map(({ image_url }) => image_url)).toEqual(
      [first, second, third].map(each => each?.['image_url']),
    );
  });

  test('a video is a Reel with its cover', async () => {
    await run(
      video(undefined, {
        description: 'Moving',
        options: {
          instagram_cover_url: image('cover', png),
          instagram_share_to_feed: false,
          instagram_collaborators: 'friend1',
          instagram_location_id: '7640348500',
          instagram_thumb_offset: 0,
        },
      }),
    );
    expect(last()).toMatchObject({ kind: 'reels', text: 'Moving', media: [{ type: 'video/mp4' }] });
    expect(last().fields).toMatchObject({
      media_type: 'REELS',
      share_to_feed: 'false',
      cover_url: expect.any(String),
      collaborators: '["friend1"]',
      location_id: '7640348500',
    });
    expect(last().fields).not.toHaveProperty('thumb_offset');
    expect(last().platform_post_url).toContain('/reel/');
  });

  test('a story shows the video only', async () => {
    const { ran } = await run(
      video(undefined, {
        description: 'Ignored',
        first_comment: 'Ignored',
        options: { instagram_media_type: 'STORIES', instagram_collaborators: 'friend1' },
      }),
    );
    expect(created()).toEqual([{ media_type: 'STORIES', video_url: expect.any(String) }]);
    expect(last()).toMatchObject({ kind: 'story', text: null });
    expect(ran).not.toContain('first_comment');
  });
});

describe('a Reel', () => {
  test('without a cover has the thumbnail offset, 0 included, and is shared to the feed', async () => {
    await run(video(undefined, { options: { instagram_thumb_offset: 0 } }));
    expect(last().fields).toMatchObject({ thumb_offset: '0', share_to_feed: 'true' });
  });

  test('with an offset beyond its end is rejected', async () => {
    await expect(
      run(video(undefined, { options: { instagram_thumb_offset: 60_000 } })),
    ).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('2207057'),
    });
  });

  test('is uploaded where it is large and the host takes uploads, again from where it was interrupted', async () => {
    who = await connected(host, 'facebook');
    const bytes = padded(sample('clip.mp4'), 51 * MIB);
    host.failNext({ match: /rupload/, drop: 'after' });
    await run(video(bytes));
    expect(created()).toEqual([expect.objectContaining({ media_type: 'REELS', upload_type: 'resumable' })]);
    expect(created()[0]).not.toHaveProperty('video_url');
    const [upload] = requests(/rupload/);
    expect(upload!.headers).toMatchObject({ offset: '0', file_size: String(bytes.length) });
    expect(upload!.headers['authorization']).toMatch(/^OAuth EAA/);
    expect(last().media).toMatchObject([{ size: bytes.length }]);
  });

  test('has a public URL on the other host, whatever its size', async () => {
    const uploaded = host.addMedia('media/clip.mp4', padded(sample('clip.mp4'), 51 * MIB));
    await run({ post_type: 'video', media_urls: [uploaded] });
    expect(created()).toEqual([expect.objectContaining({ video_url: uploaded })]);
    expect(created()[0]).not.toHaveProperty('upload_type');
  });
});

describe('pictures', () => {
  test('of other formats are converted to JPEG on white, and fetched from the bucket', async () => {
    await run({ media_urls: [image('t', png)] });
    expect(last().media).toMatchObject([{ type: 'image/jpeg' }]);
    expect(last().fields).toMatchObject({ image_url: expect.stringContaining('/_media/derived/') });
  });

  test('outside the aspect ratios get margins', async () => {
    await run({ media_urls: [image('tall', sample('tall.jpg'))] });
    const [{ width = 0, height = 1 } = {}] = last().media;
    expect(width / height).toBeGreaterThanOrEqual(0.79);
  });

  test('that Instagram cannot fetch are retried: only the one that failed', async () => {
    const media_urls = images(3);
    let checkpoint: Checkpoint | undefined;
    const onCheckpoint = (at: Checkpoint) => void (checkpoint = at);
    host.failNext({ match: /\/media\?/, method: 'POST' });
    host.failNext({ match: /\/media\?/, method: 'POST', respond: graph(9004, 2207052) });
    await expect(run({ media_urls }, { onCheckpoint })).rejects.toMatchObject({
      kind: 'transient',
      message: expect.stringContaining('file 2 of 3'),
    });
    await run({ media_urls }, { from: checkpoint! });
    expect(last().media).toHaveLength(3);
    expect(created()).toHaveLength(5);
  });
});

describe('processing', () => {
  test('is waited for before the post is published, once', async () => {
    host.setProcessing({ seconds: 40 });
    const { waitedMs } = await run({ media_urls: images(10) });
    expect(waitedMs).toBeGreaterThanOrEqual(40_000);
    expect(requests(PUBLISH)).toHaveLength(1);
    expect(last().media).toHaveLength(10);
  });

  test('that fails for good is rejected with the reason', async () => {
    host.setProcessing({ outcome: 'error', error: '2207085' });
    await expect(run(video())).rejects.toMatchObject({
      kind: 'rejected',
      code: 'MEDIA_REJECTED',
      message: expect.stringContaining('2207085'),
    });
  });

  test('that fails for now is repeated with new containers, twice', async () => {
    host.setProcessing({ outcome: 'error', error: '2207082' });
    await expect(run(video())).rejects.toMatchObject({ kind: 'rejected', code: 'MEDIA_REJECTED' });
    expect(created()).toHaveLength(3);
    let polls = 0;
    host.setProcessing({ outcome: 'error', error: '2207053', seconds: 1 });
    const advance = (ms: number) => {
      host.advance(ms);
      if ((polls += 1) === 2) host.setProcessing({ outcome: 'ok' });
    };
    await run(video(), { advance });
    expect(last().kind).toBe('reels');
  });

  test('of a carousel whose children are gone or used starts again with new ones', async () => {
    host.failNext({ match: /\/media\?/, method: 'POST' });
    host.failNext({ match: /\/media\?/, method: 'POST' });
    host.failNext({ match: /\/media\?/, method: 'POST', respond: graph(24, 2207008) });
    await run({ media_urls: images(2) });
    expect(created()).toHaveLength(6);
    expect(host.posts()).toHaveLength(1);
  });

  test('that never ends is given up after half an hour each, without publishing', async () => {
    host.setProcessing({ seconds: 24 * 3600 });
    await expect(run(video())).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('did not finish within 30 minutes'),
    });
    expect(requests(PUBLISH)).toHaveLength(0);
  });

  test('of containers that expired before the post was due starts again', async () => {
    let checkpoint: Checkpoint | undefined;
    const stop = (at: Checkpoint) => {
      checkpoint = at;
      if (at.step === 'publish') throw new Error('stopped');
    };
    await expect(run({ media_urls: images(2) }, { onCheckpoint: stop })).rejects.toThrow('stopped');
    host.advance(25 * HOUR);
    await run({ media_urls: images(2) }, { from: checkpoint! });
    expect(created()).toHaveLength(6);
    expect(last().kind).toBe('carousel_album');
  });
});

describe('the publishing limit', () => {
  test('is read before the first container, and announced while it lasts', async () => {
    host.setLimit({ quota_total: 25, quota_used: 25 });
    await expect(run({ media_urls: [image()] })).rejects.toMatchObject({
      kind: 'rate_limited',
      code: 'PLATFORM_RATE_LIMIT',
      limit: 25,
      retryAfterMs: HOUR,
    });
    expect(created()).toEqual([]);
  });

  test('that is reached while the post waits delays it too', async () => {
    host.failNext({ match: PUBLISH, respond: graph(9, 2207042) });
    await expect(run({ media_urls: [image()] })).rejects.toMatchObject({
      kind: 'rate_limited',
      code: 'PLATFORM_RATE_LIMIT',
      retryAfterMs: HOUR,
    });
  });
});

describe('publishing', () => {
  test('waits when Instagram says that the media is not ready', async () => {
    host.failNext({ match: PUBLISH, respond: graph(9007, 2207027), times: 2 });
    const { waitedMs } = await run({ media_urls: [image()] });
    expect(waitedMs).toBeGreaterThan(0);
    expect(requests(PUBLISH)).toHaveLength(3);
    expect(host.posts()).toHaveLength(1);
  });

  test.each([
    [24, 2207008],
    [24, 4279009],
    [24, 2207006],
  ])('tries an unknown container (%i/%i) twice, then creates it anew', async (code, subcode) => {
    host.failNext({ match: PUBLISH, respond: graph(code, subcode), times: 3 });
    await run({ media_urls: [image()] });
    expect(created()).toHaveLength(2);
    expect(host.posts()).toHaveLength(1);
  });

  test('creates an expired container anew', async () => {
    host.failNext({ match: PUBLISH, respond: graph(-2, 2207020) });
    await run({ media_urls: [image()] });
    expect(created()).toHaveLength(2);
  });

  test('does not depend on the link: a follow-up reads it later', async () => {
    const plain = await run({ media_urls: [image()] });
    expect(plain.ran).not.toContain('permalink');
    host.failNext({ match: /permalink/, respond: { status: 500 } });
    const { post, ran } = await run({ media_urls: [image()] });
    expect(post.platform_post_url).toBe(last().platform_post_url);
    expect(ran.at(-1)).toBe('permalink');
    expect(requests(PUBLISH)).toHaveLength(2);
  });

  test('fails with what the user must do when the account is restricted', async () => {
    mode({ restricted: true });
    await expect(run({ media_urls: [image()] })).rejects.toMatchObject({
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('open the Instagram app'),
    });
  });

  test.each([
    ['instagram_location_id', '404', 'INVALID_LOCATION_ID'],
    ['instagram_user_tags', 'private1', 'private1'],
  ])('rejects a wrong %s in words that name it', async (field, value, words) => {
    await expect(run({ media_urls: [image()], options: { [field]: value } })).rejects.toMatchObject({
      kind: 'rejected',
      code: 'CONTENT_REJECTED',
      message: expect.stringContaining(words),
    });
  });
});

describe('tokens and ids', () => {
  test('of a Page that does not see its containers are replaced by those of the user', async () => {
    who = await connected(host, 'facebook');
    mode({ hides_from: ['page'], refuses_publishing_with: ['page'] });
    await run({ media_urls: [image()] });
    expect(host.posts()).toHaveLength(1);
  });

  test('of a user whose containers nobody shows publish after a minute', async () => {
    who = await connected(host, 'facebook');
    mode({ hides_from: ['page', 'user'] });
    const before = host.now();
    // The link is not shown either.
    await expect(run({ media_urls: [image()] })).rejects.toMatchObject({ kind: 'transient' });
    expect(host.now() - before).toBeGreaterThanOrEqual(60_000);
    expect(host.posts()).toHaveLength(1);
  });

  test('that the host does not know are replaced by `me`', async () => {
    mode({ known_by: 'me' });
    await run({ media_urls: [image()] });
    expect(host.posts()).toHaveLength(1);
    expect(requests(/\/me\/media_publish/)).toHaveLength(1);
  });

  test('of the other host are refused', async () => {
    const other = await connected(host, 'facebook');
    const credentials = { login: 'instagram', access_token: other.grant.credentials['user_token']! };
    await expect(run({ media_urls: [image()] }, { credentials })).rejects.toMatchObject({
      kind: 'token_expired',
    });
  });

  test('are needed: a Facebook login without a chosen account cannot publish', async () => {
    who = { ...(await connected(host, 'facebook')), target: null };
    await expect(run({ media_urls: [image()] })).rejects.toMatchObject({
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('default_target_id'),
    });
  });
});

test('a call that Instagram limits waits as long as it says, although the status is 400', async () => {
  const usage = {
    '17841400000000001': [{ type: 'instagram', call_count: 100, estimated_time_to_regain_access: 19 }],
  };
  host.failNext({
    match: STATUS,
    respond: { ...graph(80002), headers: { 'x-business-use-case-usage': JSON.stringify(usage) } },
  });
  await expect(run({ media_urls: [image()] })).rejects.toMatchObject({
    kind: 'rate_limited',
    retryAfterMs: 19 * 60_000,
  });
});
