import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import sharp from 'sharp';
import { box, CAMERA_MARKS, withCameraData } from '../../test/support/camera-video.ts';
import { apngOf, heic, pdfWithScript, pngOfSize, svg } from '../../test/support/bad-files.ts';
import { createTestBucket, type TestBucket } from '../../test/support/bucket.ts';
import { mediaHost, type MediaHost } from '../../test/support/media-host.ts';
import { memoryBucket, type MemoryBucket } from '../../test/support/memory-bucket.ts';
import { PATIENT } from '../../test/support/server.ts';
import type { PlatformId } from '../model/platform.ts';
import { RULES } from '../platforms/registry/rules.ts';
import { keyOfUrl, MEDIA, publicUrlOf, putObject } from '../store/objects.ts';
import type { Draft } from '../platforms/contract/rules.ts';
import { mediaFiles } from './media-files.ts';

const TIMEOUT_MS = 30_000;
const REJECTED = { kind: 'rejected', code: 'MEDIA_REJECTED', outcomeUnknown: false };
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let host: MediaHost;
let bucket: MemoryBucket;
let odd: Server;
let oddUrl: string;
/** Responses by path. */
const answers = new Map<string, RequestListener>();

beforeAll(async () => {
  host = await mediaHost();
  odd = createServer(PATIENT, (request, response) => {
    const answer = answers.get(new URL(request.url ?? '', 'http://odd').pathname);
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>(resolve => odd.listen(0, '127.0.0.1', resolve));
  oddUrl = `http://127.0.0.1:${(odd.address() as AddressInfo).port}`;
});
afterAll(async () => {
  odd.closeAllConnections();
  odd.close();
  await host.close();
});
beforeEach(() => {
  bucket = memoryBucket();
});
/** Other processes use the same folder, and one with this process id may have crashed there. */
const onDisk = () => readdirSync(tmpdir()).filter(name => name.startsWith(`media-${process.pid}-`));
const before = onDisk();
/** Nothing is left on the disk, whatever the outcome. */
afterEach(() => expect(onDisk()).toEqual(before));

/** Serves bytes as an object store that knows no types. */
function serve(bytes: Uint8Array, name = sha256(bytes).slice(0, 12)): string {
  answers.set(`/${name}`, (_, response) => {
    response.writeHead(200, { 'content-type': 'binary/octet-stream', 'content-length': bytes.byteLength });
    response.end(bytes);
  });
  return `${oddUrl}/${name}`;
}

const draftOf = (change: Partial<Draft>): Draft => ({
  post_type: 'image',
  title: null,
  description: null,
  media_urls: [],
  first_comment: null,
  account: null,
  auto_truncate: false,
  options: {},
  ...change,
});
const filesOf = (platform: PlatformId, change: Partial<Draft>) =>
  mediaFiles({ http: host.http, bucket, rules: RULES[platform], draft: draftOf(change) });

/** Returns an image as a platform gets it. */
async function pictureFor(platform: PlatformId, url: string, change: Partial<Draft> = {}) {
  const files = filesOf(platform, { media_urls: [url], ...change });
  const file = await files.open(url, TIMEOUT_MS);
  try {
    return await file.fitted(RULES[platform].pictures!);
  } finally {
    await file.close();
  }
}
const openAs = async (platform: PlatformId, url: string, change: Partial<Draft> = {}) => {
  const file = await filesOf(platform, { media_urls: [url], ...change }).open(url, TIMEOUT_MS);
  await file.close();
  return file.facts;
};
const plain = (width = 400, height = 300) =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } });
const transparent = () =>
  sharp({ create: { width: 400, height: 300, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } });

describe('an image for a platform', () => {
  test('B025: is a JPEG on Instagram where a PNG was sent', async () => {
    const made = await pictureFor('instagram', serve(await plain().png().toBuffer()));
    expect(made).toMatchObject({ type: 'image/jpeg', width: 400, height: 300, animated: false });
  });

  test('B026: has white instead of transparency on Instagram, and is unchanged on LinkedIn', async () => {
    const png = await transparent().png().toBuffer();
    const url = serve(png);
    const { bytes } = await pictureFor('instagram', url);
    expect((await sharp(bytes).stats()).channels[0]?.min).toBeGreaterThan(250);
    expect(sha256((await pictureFor('linkedin', url)).bytes)).toBe(sha256(png));
  });

  test('B040: is unchanged where it is an animated GIF', async () => {
    for (const platform of ['x', 'linkedin', 'bluesky', 'pinterest', 'telegram'] as const) {
      const made = await pictureFor(platform, `${host.url}/anim.gif`);
      const gif = await fetch(`${host.url}/anim.gif`).then(answer => answer.arrayBuffer());
      expect({ platform, hash: sha256(made.bytes) }).toEqual({ platform, hash: sha256(new Uint8Array(gif)) });
      expect(made.animated).toBe(true);
    }
  });

  test('B041: is refused where it is animated and not alone, whatever its name is', async () => {
    const gif = await fetch(`${host.url}/anim.gif`).then(answer => answer.arrayBuffer());
    const media_urls = [serve(new Uint8Array(gif)), `${host.url}/photo.jpg`];
    for (const platform of ['x', 'bluesky'] as const) {
      await expect(pictureFor(platform, media_urls[0]!, { media_urls })).rejects.toMatchObject({
        ...REJECTED,
        message: expect.stringMatching(/^File 1 of 2: .* must be the only one of its post/),
      });
    }
  });

  test('B043: is upright on Instagram where a landscape has orientation 6', async () => {
    const jpeg = await plain(2000, 1500).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const made = await pictureFor('instagram', serve(jpeg));
    expect(made).toMatchObject({ width: 1600, height: 2000 });
    expect((await sharp(made.bytes).metadata()).orientation).toBeUndefined();
  });

  test('B044: is reduced for LinkedIn where it has 36.6 megapixels', async () => {
    const { width, height } = await pictureFor('linkedin', serve(await plain(6100, 6000).jpeg().toBuffer()));
    expect(width * height).toBeLessThanOrEqual(36_152_320);
  });

  test('is refused where it is animated and only still images are accepted', async () => {
    const url = serve(apngOf(await plain().png().toBuffer()));
    await expect(pictureFor('threads', url)).rejects.toMatchObject({
      ...REJECTED,
      message: 'The image is animated; only still images are accepted (Threads)',
    });
  });

  test('can be the cover of a video', async () => {
    const png = serve(await transparent().png().toBuffer());
    const options = { instagram_cover_url: png };
    const files = filesOf('instagram', { post_type: 'video', options });
    expect(await files.cover('instagram_cover_url', TIMEOUT_MS)).toMatchObject({ type: 'image/jpeg' });
    expect(await files.cover('other', TIMEOUT_MS)).toBeNull();
    const heavy = filesOf('youtube', {
      post_type: 'video',
      options: { youtube_thumbnail_url: `${host.url}/photo.jpg?bytes=3000000` },
    });
    await expect(heavy.cover('youtube_thumbnail_url', TIMEOUT_MS)).rejects.toMatchObject(REJECTED);
  });
});

describe('the metadata of the camera', () => {
  const SECRET = 'Jane Doe, camera 4711';
  const photo = () =>
    plain()
      .jpeg()
      .withExif({ IFD0: { Artist: SECRET }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
      .toBuffer();

  // C020
  test.each<PlatformId>(['bluesky', 'x', 'linkedin', 'pinterest', 'instagram', 'telegram', 'facebook'])(
    'is not sent to %s, whatever way the image takes',
    async platform => {
      const url = serve(await photo());
      const file = await filesOf(platform, { media_urls: [url] }).open(url, TIMEOUT_MS);
      const { bytes } = await file.fitted(RULES[platform].pictures!);
      const whole = await file.read(0, file.size);
      const published = keyOfUrl(bucket, await file.publicUrl());
      await file.close();
      expect(whole.length).toBe(file.size);
      for (const sent of [Buffer.from(bytes), whole, bucket.objects.get(published!)!.bytes]) {
        expect(sent.includes(SECRET)).toBe(false);
        expect((await sharp(sent).metadata()).exif).toBeUndefined();
      }
    },
  );

  test('is not at the public URL of an image that the bucket serves with it', async () => {
    const key = `${MEDIA}photo.jpg`;
    const own = { ...bucket, publicUrl: oddUrl };
    const source = serve(await photo(), 'media/photo.jpg');
    expect(publicUrlOf(own, key)).toBe(source);
    const files = mediaFiles({
      http: host.http,
      bucket: own,
      rules: RULES.instagram,
      draft: draftOf({ media_urls: [source] }),
    });
    const file = await files.open(source, TIMEOUT_MS);
    const published = await file.publicUrl();
    await file.close();
    expect(published).not.toBe(source);
    expect(bucket.objects.get(keyOfUrl(own, published)!)!.bytes.includes(SECRET)).toBe(false);
  });

  test('is not in a cover or a link preview', async () => {
    const url = serve(await photo());
    const files = filesOf('youtube', { post_type: 'video', options: { youtube_thumbnail_url: url } });
    const covers = [
      await files.cover('youtube_thumbnail_url', TIMEOUT_MS),
      await files.fit(await photo(), RULES.bluesky.pictures!),
    ];
    for (const made of covers) expect(Buffer.from(made!.bytes).includes(SECRET)).toBe(false);
  });
});

describe('a conversion', () => {
  const derived = () => [...bucket.objects.keys()];

  test('is stored by content and recipe, and reused from any URL', async () => {
    const png = await transparent().png().toBuffer();
    const first = await pictureFor('instagram', serve(png, 'one'));
    const [key] = derived();
    expect(key).toMatch(new RegExp(`^public/derived/${sha256(png)}/[0-9a-f]{16}$`));
    // The stored bytes are returned: nothing is converted again.
    const other = await plain(40, 30).jpeg().toBuffer();
    bucket.objects.set(key!, { bytes: other, type: 'image/jpeg' });
    expect(await pictureFor('instagram', serve(png, 'two'))).toMatchObject({ width: 40, height: 30 });
    expect(first.bytes.byteLength).not.toBe(other.byteLength);
    expect(derived()).toEqual([key]);
  });

  test('made concurrently gives the same bytes under one key', async () => {
    const url = serve(await plain(1500, 1000).png().toBuffer());
    const made = await Promise.all([1, 2, 3].map(() => pictureFor('instagram', url)));
    expect(new Set(made.map(({ bytes }) => sha256(bytes))).size).toBe(1);
    expect(derived()).toHaveLength(1);
    expect(sha256(bucket.objects.get(derived()[0]!)!.bytes)).toBe(sha256(made[0]!.bytes));
  });

  test('does not fail with the storage', async () => {
    bucket.fail(new Error('down'));
    const made = await pictureFor('instagram', serve(await plain().png().toBuffer()));
    expect(made.type).toBe('image/jpeg');
    await expect(made.publicUrl()).rejects.toMatchObject({ kind: 'transient', outcomeUnknown: false });
  });

  test('is shared by all platforms with the same recipe', async () => {
    const url = serve(await plain().webp().toBuffer());
    for (const platform of ['instagram', 'facebook'] as const) {
      const file = await filesOf('tiktok', { media_urls: [url] }).open(url, TIMEOUT_MS);
      const needs = { ...RULES['facebook'].pictures!, formats: [...RULES['facebook'].pictures!.formats] };
      await file.fitted(platform === 'instagram' ? needs : { ...needs, formats: needs.formats.reverse() });
      await file.close();
    }
    expect(derived()).toHaveLength(1);
  });
});

describe('with the bucket of the stack', () => {
  let real: TestBucket;
  beforeAll(async () => {
    real = await createTestBucket();
  });
  afterAll(() => real.close());

  test.each([
    ['a converted image', () => plain().png().toBuffer(), 'image/jpeg'],
    ['an unchanged image', () => plain().jpeg().toBuffer(), 'image/jpeg'],
  ])('B052: a platform fetches %s from the bucket', async (_, draw, type) => {
    const url = serve(await draw());
    const files = mediaFiles({
      http: host.http,
      bucket: real,
      rules: RULES.instagram,
      draft: draftOf({ media_urls: [url] }),
    });
    for (let round = 0; round < 2; round += 1) {
      const file = await files.open(url, TIMEOUT_MS);
      const made = await file.fitted(RULES.instagram.pictures!);
      await file.close();
      const answer = await fetch(await made.publicUrl());
      expect(answer.headers.get('content-type')).toBe(type);
      expect(sha256(new Uint8Array(await answer.arrayBuffer()))).toBe(sha256(made.bytes));
    }
    expect(real.operations.filter(name => name === 'PutObject')).toHaveLength(real.keys().length);
  });
});

describe('the public URL of a file', () => {
  let real: TestBucket;
  beforeEach(async () => {
    real = await createTestBucket();
  });
  afterEach(() => real.close());

  const publish = async (url: string, post_type: Draft['post_type'] = 'video') => {
    const draft = draftOf({ post_type, media_urls: [url] });
    const files = mediaFiles({ http: host.http, bucket: real, rules: RULES.x, draft });
    const file = await files.open(url, TIMEOUT_MS);
    const publicUrl = await file.publicUrl();
    await file.close();
    return publicUrl;
  };
  const fetched = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

  test.each([2_000_000, 20_000_000])('leads to exactly the bytes of a video of %i bytes', async bytes => {
    const source = `${host.url}/clip.mp4?bytes=${bytes}`;
    const url = await publish(source);
    expect(url.startsWith(real.publicUrl)).toBe(true);
    const answer = await fetch(url);
    expect(answer.headers.get('content-type')).toBe('video/mp4');
    const copied = new Uint8Array(await answer.arrayBuffer());
    expect(sha256(copied)).toBe(sha256(await fetched(source)));
    expect(real.uploadsInProgress()).toBe(0);
  });

  test('leads to the unconverted bytes of an image', async () => {
    const png = await plain().png().toBuffer();
    expect(sha256(await fetched(await publish(serve(png), 'image')))).toBe(sha256(png));
  });

  test('leads to a video without the metadata of its camera', async () => {
    const filmed = withCameraData(await fetched(`${host.url}/clip.mp4`));
    const copy = await fetched(await publish(serve(filmed)));
    expect(copy).toHaveLength(filmed.length);
    for (const mark of CAMERA_MARKS) expect(copy.includes(mark)).toBe(false);
  });

  test('is the URL itself where the bucket serves the file', async () => {
    await putObject(real, `${MEDIA}clip.mp4`, await fetched(`${host.url}/clip.mp4`), 'video/mp4');
    const url = publicUrlOf(real, `${MEDIA}clip.mp4`);
    expect(await publish(url)).toBe(url);
    expect(real.keys()).toEqual([`${MEDIA}clip.mp4`]);
  });

  test('is reused for the same version and never for another', async () => {
    const [one, other] = [await fetched(`${host.url}/clip.mp4`), await fetched(`${host.url}/clip.mp4`)];
    other.fill(0, other.length - 1000);
    let etag = '"1"';
    answers.set('/versioned', (_, response) => {
      const bytes = etag === '"1"' ? one : other;
      response.writeHead(200, { etag, 'content-length': bytes.length }).end(bytes);
    });
    const first = await publish(`${oddUrl}/versioned`);
    expect(await publish(`${oddUrl}/versioned`)).toBe(first);
    etag = '"2"';
    const second = await publish(`${oddUrl}/versioned`);
    expect(sha256(await fetched(second))).toBe(sha256(other));
    expect(sha256(await fetched(first))).toBe(sha256(one));
  });

  test('fails transiently and leaves nothing where the host fails halfway', async () => {
    const clip = await fetched(`${host.url}/clip.mp4?bytes=20000000`);
    let requests = 0;
    answers.set('/fails', (request, response) => {
      requests += 1;
      const [from, to] = (/bytes=(\d+)-(\d+)/.exec(request.headers.range!) ?? []).slice(1).map(Number);
      if (to! > 17_000_000 && requests > 3) return void response.writeHead(503).end();
      const piece = clip.subarray(from, to! + 1);
      response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${clip.length}` }).end(piece);
    });
    await expect(publish(`${oddUrl}/fails`)).rejects.toMatchObject({ kind: 'transient' });
    expect([real.keys(), real.uploadsInProgress()]).toEqual([[], 0]);
  });
});

describe('a video at a host that ignores ranges', () => {
  /** Larger than what an inspection reads ahead; its index comes last, as cameras write it. */
  const filmed = async () => {
    const clip = Buffer.from(await (await fetch(`${host.url}/clip.mp4`)).arrayBuffer());
    return withCameraData(Buffer.concat([clip, box('mdat', Buffer.alloc(13 * 1024 ** 2))]));
  };
  const openVideo = (url: string) => openAs('x', url, { post_type: 'video' });

  test('is refused where its end is missing', async () => {
    const whole = await filmed();
    for (const missing of [100, 1500]) {
      await expect(openVideo(serve(whole.subarray(0, whole.length - missing)))).rejects.toMatchObject({
        ...REJECTED,
        message: expect.stringMatching(/damaged: it is cut off after/),
      });
    }
  });

  test('is retried later where the host sends less than it declares', async () => {
    const whole = await filmed();
    answers.set('/short', (_, response) => {
      response.writeHead(200, { 'content-length': whole.length });
      response.write(whole.subarray(0, whole.length - 5000), () => response.destroy());
    });
    await expect(openVideo(`${oddUrl}/short`)).rejects.toMatchObject({ kind: 'transient' });
  });

  test('is accepted whole, and sent without the metadata of its camera', async () => {
    const whole = await filmed();
    const url = serve(whole);
    const file = await filesOf('x', { post_type: 'video', media_urls: [url] }).open(url, TIMEOUT_MS);
    try {
      const sent = [await file.read(0, 1000), await file.read(1000, file.size - 1000)];
      expect(file.size).toBe(whole.length);
      for (const mark of CAMERA_MARKS) expect(Buffer.concat(sent).includes(mark)).toBe(false);
    } finally {
      await file.close();
    }
  });
});

describe('a text file of a post', () => {
  const SRT = '1\n00:00:01,000 --> 00:00:02,000\nGrüezi 👋\n';
  const LIMITS = { maxBytes: 1000, timeoutMs: TIMEOUT_MS };
  const textOf = (url?: string) =>
    filesOf('youtube', {
      post_type: 'video',
      options: url === undefined ? {} : { youtube_caption_url: url },
    }).text('youtube_caption_url', LIMITS);

  test('is returned without its byte order mark', async () => {
    expect(await textOf(serve(Buffer.from(SRT)))).toBe(SRT);
    expect(await textOf(serve(Buffer.from(`\uFEFF${SRT}`)))).toBe(SRT);
  });

  test('is null where the post names none', async () => {
    expect(await textOf()).toBeNull();
  });

  test.each<[string, Buffer, RegExp]>([
    ['in UTF-16', Buffer.from(SRT, 'utf16le'), /^youtube_caption_url: .* not UTF-8/],
    ['in Latin-1', Buffer.from('Grüezi', 'latin1'), /^youtube_caption_url: .* not UTF-8/],
    ['that is too large', Buffer.alloc(1001, 'a'), /^youtube_caption_url: .* larger than 1000 bytes/],
    ['that is empty', Buffer.alloc(0), /empty/],
    ['that is a web page', Buffer.from('<!DOCTYPE html><p>Sign in'), /web page/],
  ])('is refused %s', async (_, bytes, message) => {
    await expect(textOf(serve(bytes))).rejects.toMatchObject({
      ...REJECTED,
      message: expect.stringMatching(message),
    });
  });

  test('is retried later where its host fails', async () => {
    answers.set('/busy', (_, response) => void response.writeHead(503).end());
    await expect(textOf(`${oddUrl}/busy`)).rejects.toMatchObject({ kind: 'transient' });
  });
});

describe('a file outside the limits is refused with limit and value', () => {
  test.each<[PlatformId, string, Partial<Draft>, RegExp]>([
    ['pinterest', 'clip.mp4', { post_type: 'video' }, /^$/],
    ['linkedin', 'clip.mov', { post_type: 'video' }, /format is MOV; must be one of MP4 \(LinkedIn\)/],
    [
      'gbp',
      'clip.mp4?bytes=30000000',
      { post_type: 'video' },
      /size is 30000000 bytes; at most 26214400 bytes/,
    ],
    ['tiktok', 'clip.mp4?bytes=6000000000', { post_type: 'video' }, /size is 6000000000 bytes; at most/],
    [
      'facebook',
      'clip.mp4',
      { post_type: 'video', options: { facebook_media_type: 'REELS' } },
      /height is 540 pixels; at least 960 pixels.*ratio of width to height is 1.78; at most 1/,
    ],
    ['x', 'photo.jpg', { post_type: 'video' }, /is JPG, which is not a video/],
    ['x', 'clip.mp4', { post_type: 'image' }, /is MP4, which is not an image/],
    ['telegram', 'doc.pdf?bytes=50000001', { post_type: 'document' }, /at most 50000000 bytes/],
  ])('%s: %s', async (platform, name, change, message) => {
    const opened = openAs(platform, `${host.url}/${name}`, change);
    if (message.source === '^$') expect(await opened).toMatchObject({ kind: 'video' });
    else await expect(opened).rejects.toMatchObject({ ...REJECTED, message: expect.stringMatching(message) });
  });
});

describe('bad input', () => {
  test.each<[string, () => Buffer | Promise<Buffer>, RegExp]>([
    ['zero bytes', () => Buffer.alloc(0), /empty/],
    ['HEIC under another name', heic, /HEIC/],
    ['SVG', () => svg(), /SVG/],
    ['a web page', () => Buffer.from('<html>Sign in</html>'), /web page/],
    ['a decompression bomb', () => pngOfSize(30_000, 30_000), /900000000 pixels/],
    ['a truncated image', async () => (await plain().png().toBuffer()).subarray(0, 300), /damaged/],
    ['a PDF with a script', () => pdfWithScript('plain'), /PDF with a script/],
  ])('is refused as an image for Instagram: %s', async (_, make, message) => {
    await expect(pictureFor('instagram', serve(await make()))).rejects.toMatchObject({
      ...REJECTED,
      message: expect.stringMatching(message),
    });
  });

  test('that is an image and a script is sent as what its first bytes say', async () => {
    const both = Buffer.concat([await plain().gif().toBuffer(), Buffer.from('<script>alert(1)</script>')]);
    expect(await pictureFor('x', serve(both))).toMatchObject({ type: 'image/gif' });
    const made = await pictureFor('facebook', serve(Buffer.concat([await plain().webp().toBuffer(), both])));
    expect(made.type).toBe('image/jpeg');
    expect(Buffer.from(made.bytes).includes('script')).toBe(false);
  });

  // B046
  test('compressed by the host is retried later', async () => {
    answers.set('/zipped', (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('no matter what'),
    );
    for (const post_type of ['image', 'video'] as const) {
      await expect(openAs('x', `${oddUrl}/zipped`, { post_type })).rejects.toMatchObject({
        kind: 'transient',
      });
    }
  });

  test('that declares 6 GB and sends less is retried later', async () => {
    const head = await plain().jpeg().toBuffer();
    answers.set('/liar', (_, response) => {
      response.writeHead(200, { 'content-length': 6_000_000_000 });
      response.write(head, () => response.destroy());
    });
    for (const post_type of ['image', 'video'] as const) {
      await expect(openAs('x', `${oddUrl}/liar`, { post_type })).rejects.toMatchObject({ kind: 'transient' });
    }
  });

  test('larger than the platform accepts is cut off', async () => {
    const chunk = Buffer.alloc(1024 * 1024);
    let sent = 0;
    answers.set('/endless', (_, response) => {
      const more = (): void => {
        sent += 1;
        if (!response.destroyed) response.write(chunk, more);
      };
      more();
    });
    await expect(openAs('gbp', `${oddUrl}/endless`)).rejects.toMatchObject({
      ...REJECTED,
      message: 'The file is larger than 26214400 bytes',
    });
    expect(sent).toBeLessThan(60);
  });

  test('from a host that never ends is given up after the time-out', async () => {
    answers.set('/slow', (_, response) => {
      response.writeHead(200).write('x');
    });
    const files = filesOf('x', { media_urls: [`${oddUrl}/slow`] });
    await expect(files.open(`${oddUrl}/slow`, 200)).rejects.toMatchObject({ kind: 'transient' });
  });

  // B050
  test.each(['http://169.254.169.254/latest/meta-data/', 'http://10.0.0.1/a.jpg'])(
    'at a private address is refused, also behind a redirect: %s',
    async url => {
      answers.set('/away', (_, response) => void response.writeHead(302, { location: url }).end());
      for (const post_type of ['image', 'video'] as const) {
        await expect(openAs('x', url, { post_type })).rejects.toMatchObject(REJECTED);
        await expect(openAs('x', `${oddUrl}/away`, { post_type })).rejects.toMatchObject(REJECTED);
      }
    },
  );
});
