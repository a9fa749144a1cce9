import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Hono } from 'hono';
import sharp from 'sharp';
import { makeFiles, type SandboxFile } from './files.ts';
import { probe } from './probe.ts';
import { mediaApp } from './serve.ts';

let files: ReadonlyMap<string, SandboxFile>;
let app: Hono;
beforeAll(async () => {
  files = await makeFiles();
  app = mediaApp(Promise.resolve(files));
});

const get = async (path: string, headers: Record<string, string> = {}) => app.request(path, { headers });
const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());
const original = (name: string) => files.get(name)!.bytes;

describe('the type and size of media files', () => {
  test.each([
    ['photo.jpg', { type: 'image/jpeg', width: 1200, height: 800 }],
    ['photo.png', { type: 'image/png', width: 1200, height: 800 }],
    ['alpha.png', { type: 'image/png', width: 600, height: 600 }],
    ['anim.gif', { type: 'image/gif', width: 320, height: 180 }],
    ['photo.webp', { type: 'image/webp', width: 1200, height: 800 }],
    ['rotated.jpg', { type: 'image/jpeg', width: 1200, height: 800 }],
    ['tall.jpg', { type: 'image/jpeg', width: 720, height: 2160 }],
    ['clip.mp4', { type: 'video/mp4', width: 960, height: 540, duration: expect.closeTo(6, 1) }],
    ['upright.mp4', { type: 'video/mp4', width: 544, height: 960, duration: expect.closeTo(6, 1) }],
    ['clip.mov', { type: 'video/quicktime', width: 960, height: 540, duration: expect.closeTo(6, 1) }],
    ['clip.webm', { type: 'video/webm', width: 960, height: 540, duration: expect.closeTo(6, 1) }],
    ['doc.pdf', { type: 'application/pdf' }],
  ])('match for %s', async (name, facts) => {
    expect(await probe(original(name))).toMatchObject(facts);
  });

  test('include animation, transparency and an EXIF orientation', async () => {
    expect((await sharp(original('anim.gif')).metadata()).pages).toBe(8);
    expect((await sharp(original('alpha.png')).stats()).isOpaque).toBe(false);
    const { width, height, orientation } = await sharp(original('rotated.jpg')).metadata();
    expect({ width, height, orientation }).toEqual({ width: 800, height: 1200, orientation: 6 });
  });

  test('are served by name only', async () => {
    for (const name of files.keys()) expect((await get(`/${name}`)).status).toBe(200);
    expect((await get('/other.jpg')).status).toBe(404);
  });
});

describe('ranges', () => {
  const size = () => original('photo.jpg').length;

  test('are offered with the whole file', async () => {
    const answer = await get('/photo.jpg');
    expect(answer.headers.get('content-length')).toBe(String(size()));
    expect(answer.headers.get('accept-ranges')).toBe('bytes');
    expect((await bytesOf(answer)).equals(original('photo.jpg'))).toBe(true);
  });

  test.each([
    ['bytes=0-9', 0, 10],
    ['bytes=100-', 100, Infinity],
    ['bytes=-7', -7, Infinity],
    ['bytes=20-99999999', 20, Infinity],
  ])('are served for %s', async (range, start, end) => {
    const answer = await get('/photo.jpg', { range });
    const expected = original('photo.jpg').subarray(start, Math.min(end, size()));
    expect(answer.status).toBe(206);
    const first = start < 0 ? size() + start : start;
    expect(answer.headers.get('content-range')).toBe(
      `bytes ${first}-${first + expected.length - 1}/${size()}`,
    );
    expect((await bytesOf(answer)).equals(expected)).toBe(true);
  });

  test('return 416 beyond the end and are ignored if they are invalid', async () => {
    const beyond = await get('/photo.jpg', { range: `bytes=${size()}-` });
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get('content-range')).toBe(`bytes */${size()}`);
    for (const range of ['bytes=5-2', 'bytes=0-1,4-5', 'lines=1-2']) {
      expect((await get('/photo.jpg', { range })).status).toBe(200);
    }
  });
});

describe('query parameters', () => {
  test('change the content type', async () => {
    expect((await get('/photo.jpg?type=text/html')).headers.get('content-type')).toBe('text/html');
  });

  test('disable ranges', async () => {
    const answer = await get('/photo.jpg?range=off', { range: 'bytes=0-1' });
    expect(answer.status).toBe(200);
    expect(answer.headers.has('accept-ranges')).toBe(false);
  });

  test('omit the content length', async () => {
    const answer = await get('/photo.jpg?length=off');
    expect(answer.headers.has('content-length')).toBe(false);
    expect((await bytesOf(answer)).equals(original('photo.jpg'))).toBe(true);
  });

  test('change the status', async () => {
    expect((await get('/photo.jpg?status=404')).status).toBe(404);
    expect(await (await get('/photo.jpg?status=503')).text()).toBe('Status 503 as requested\n');
    expect(await (await get('/photo.jpg?status=204')).text()).toBe('');
  });

  test('redirect to a URL or to the file itself a number of times', async () => {
    const away = await get('/photo.jpg?redirect=http%3A%2F%2F169.254.169.254%2F&status=307');
    expect([away.status, away.headers.get('location')]).toEqual([307, 'http://169.254.169.254/']);
    const twice = await get('/photo.jpg?redirect=2');
    expect([twice.status, twice.headers.get('location')]).toEqual([302, '/photo.jpg?redirect=1']);
    expect((await get('/photo.jpg?redirect=1')).headers.get('location')).toBe('/photo.jpg');
  });

  test.each(['range=on', 'status=abc', 'status=99', 'bytes=-1', 'bytes=1e99'])('refuse %s', async query => {
    expect((await get(`/photo.jpg?${query}`)).status).toBe(400);
  });
});

describe('files of another size', () => {
  test.each(['photo.jpg', 'photo.png', 'anim.gif', 'photo.webp'])('keep %s a valid image', async name => {
    const grown = await bytesOf(await get(`/${name}?bytes=500000`));
    expect(grown.length).toBe(500_000);
    const pixels = await sharp(grown).raw().toBuffer();
    expect(pixels.equals(await sharp(original(name)).raw().toBuffer())).toBe(true);
  });

  test.each(['clip.mp4', 'clip.mov', 'clip.webm'])('keep %s a valid video', async name => {
    const grown = await bytesOf(await get(`/${name}?bytes=1200000`));
    expect(grown.length).toBe(1_200_000);
    expect(await probe(grown)).toMatchObject({ width: 960, height: 540, duration: expect.closeTo(6, 1) });
  });

  test('keep the cross-reference table of a PDF valid', async () => {
    const grown = await bytesOf(await get('/doc.pdf?bytes=5000'));
    expect(grown.length).toBe(5000);
    const offset = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(grown.toString('latin1'))?.[1]);
    expect(grown.toString('latin1', offset, offset + 5)).toBe('xref\n');
  });

  test('are truncated below their original size', async () => {
    expect(
      (await bytesOf(await get('/photo.jpg?bytes=10'))).equals(original('photo.jpg').subarray(0, 10)),
    ).toBe(true);
    expect((await bytesOf(await get('/photo.jpg?bytes=0'))).length).toBe(0);
  });

  test('of 200 GB are streamed without memory', async () => {
    const size = 200 * 1024 ** 3;
    const before = process.memoryUsage().arrayBuffers;
    const answer = await get(`/clip.mp4?bytes=${size}`);
    expect(answer.headers.get('content-length')).toBe(String(size));
    const reader = answer.body!.getReader();
    for (let read = 0; read < 50_000_000;) read += ((await reader.read()).value as Uint8Array).length;
    await reader.cancel();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60_000_000);

    const tail = await get(`/clip.mp4?bytes=${size}`, { range: `bytes=${size - 3}-` });
    expect(tail.status).toBe(206);
    expect([...(await bytesOf(tail))]).toEqual([0, 0, 0]);
  });
});
