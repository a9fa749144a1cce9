import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { imageSize } from 'image-size';
import { mediaHost, type MediaHost } from '../../test/support/media-host.ts';
import { createHttpClient, type HttpRequest } from '../net/http.ts';
import { probeUrl } from './probe-url.ts';

let host: MediaHost;
beforeAll(async () => {
  host = await mediaHost();
});
afterAll(() => host.close());

const probe = (file: string) => probeUrl(host.http, `${host.url}/${file}`);
const facts = async (file: string) => {
  const found = await probe(file);
  if (found.type !== 'known') throw new Error(`${file} is ${found.type}: ${found.message}`);
  return found.facts;
};

describe('the probe of a URL', () => {
  test.each([
    ['photo.jpg', 'JPG', 'image'],
    ['photo.png', 'PNG', 'image'],
    ['anim.gif', 'GIF', 'image'],
    ['photo.webp', 'WebP', 'image'],
    ['clip.mp4', 'MP4', 'video'],
    ['clip.mov', 'MOV', 'video'],
    ['clip.webm', 'WebM', 'video'],
    ['doc.pdf', 'PDF', 'document'],
  ])('identifies %s by its bytes', async (file, format, kind) => {
    const found = await facts(`${file}?type=application/octet-stream`);
    expect(found).toMatchObject({ format, kind });
    expect(found.size).toBeGreaterThan(100);
    if (kind !== 'document') expect(found.width).toBeGreaterThan(0);
    if (kind === 'video') expect(found.duration).toBeGreaterThan(0);
  });

  test('applies the orientation of an image', async () => {
    const bytes = await fetch(`${host.url}/rotated.jpg`).then(answer => answer.arrayBuffer());
    const stored = imageSize(new Uint8Array(bytes));
    expect(stored.orientation).toBe(6);
    expect(await facts('rotated.jpg')).toMatchObject({ width: stored.height, height: stored.width });
  });

  test('reads the metadata of a 5 GB video', async () => {
    const found = await facts('clip.mp4?bytes=5000000000');
    expect(found.size).toBe(5_000_000_000);
    expect(found.duration).toBeGreaterThan(0);
  });

  test.each(['range=off', 'length=off', 'range=off&length=off', 'redirect=3'])(
    'works with a host with %s',
    async query => {
      expect(await facts(`photo.jpg?${query}`)).toMatchObject({ format: 'JPG', kind: 'image' });
      expect(await facts(`clip.mp4?${query}`)).toMatchObject({ format: 'MP4', kind: 'video' });
    },
  );

  test('reads only the head and the end of a large image that has data behind its end marker', async () => {
    const ranges: string[] = [];
    const open = (request: HttpRequest) => {
      ranges.push(request.headers?.['range'] ?? 'all');
      return host.http.open(request);
    };
    await probeUrl({ open }, `${host.url}/photo.png?bytes=90000000`);
    expect(ranges).toEqual(['bytes=0-65535', 'bytes=89999988-89999999']);
  });
});

describe('the probe refuses', () => {
  test('a web page', async () => {
    expect(await probe('page.html')).toMatchObject({
      type: 'unsupported',
      message: 'The file is a web page, not a media file',
    });
  });

  test.each([403, 404, 500])('a host that answers %i', async status => {
    expect(await probe(`photo.jpg?status=${status}`)).toMatchObject({
      type: 'unreachable',
      message: `The media host answered ${status}`,
    });
  });

  test('a host that is not reachable', async () => {
    expect(await probeUrl(host.http, 'http://127.0.0.1:9/a.jpg')).toMatchObject({ type: 'unreachable' });
  });

  test('an endless redirect', async () => {
    expect(await probe('photo.jpg?redirect=20')).toMatchObject({ type: 'unreachable' });
  });

  test('a host that does not answer in time', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', () => resolve()));
    const { port } = silent.address() as AddressInfo;
    const facts = await probeUrl(host.http, `http://127.0.0.1:${port}/photo.jpg`, 100);
    expect(facts).toMatchObject({ type: 'unreachable' });
    silent.closeAllConnections();
    silent.close();
  });

  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/a.jpg',
    'ftp://example.com/a.jpg',
    'http://user:secret@example.com/a.jpg',
  ])('the private or unsupported address %s', async url => {
    expect(await probeUrl(host.http, url)).toMatchObject({ type: 'blocked' });
  });

  test('a redirect to a private address', async () => {
    const url = `${host.url}/photo.jpg?redirect=${encodeURIComponent('http://169.254.169.254/')}`;
    expect(await probeUrl(host.http, url)).toMatchObject({ type: 'blocked' });
  });

  test('loopback where it is not allowed', async () => {
    const strict = createHttpClient({ sandboxUrl: null, allowLoopback: false });
    expect(await probeUrl(strict, `${host.url}/photo.jpg`)).toMatchObject({ type: 'blocked' });
    strict.close();
  });

  test.each([
    ['photo.png?bytes=20', /damaged: it is cut off/],
    ['photo.jpg?bytes=9000', /damaged: it is cut off/],
    ['photo.webp?bytes=9000', /damaged: it is cut off after 9000 of/],
    ['clip.mp4?bytes=100000', /damaged: it is cut off after 100000 of \d+ bytes/],
    ['clip.mov?bytes=20', /damaged: it has no index/],
    ['clip.webm?bytes=90000', /damaged: it is cut off after 90000 of \d+ bytes/],
    ['photo.jpg?bytes=0', /^The file is empty$/],
    ['clip.mp4?bytes=0&range=off', /^The file is empty$/],
  ])('a damaged file: %s', async (file, message) => {
    expect(await probe(file)).toMatchObject({ type: 'unsupported', message: expect.stringMatching(message) });
  });
});
