import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Create } from 'sharp';
import { pngOfSize } from '../../../test/support/bad-files.ts';
import type { PlatformId } from '../../model/platform.ts';
import type { PictureNeeds } from '../../platforms/contract/pictures.ts';
import { RULES } from '../../platforms/registry/rules.ts';
import { convertPicture } from './convert-picture.ts';
import { unmetNeeds } from '../limits/picture-needs.ts';
import { inspectBytes } from '../inspect-file.ts';

type Colour = Create['background'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'convert-'));
});
afterAll(() => rm(folder, { recursive: true }));

let count = 0;
async function fileOf(bytes: Uint8Array): Promise<string> {
  count += 1;
  const path = join(folder, String(count));
  await writeFile(path, bytes);
  return path;
}
const make = async (bytes: Uint8Array, needs: PictureNeeds) => convertPicture(await fileOf(bytes), needs);
const needsOf = (platform: PlatformId): PictureNeeds => RULES[platform].pictures!;
const any: PictureNeeds = { formats: ['JPG'], max_bytes: 1e9, alpha: 'white', animation: 'still' };

/** Noise compresses badly: a small image with many bytes. */
const noise = (width: number, height: number, channels: 1 | 3 | 4 = 3) =>
  sharp(randomBytes(width * height * channels), { raw: { width, height, channels } });
const flat = (width: number, height: number, background: Colour = 'teal', channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background } });
const pixel = async (bytes: Buffer, left: number, top: number) => [
  ...(await sharp(bytes).extract({ left, top, width: 1, height: 1 }).raw().toBuffer()),
];

describe('a conversion meets the needs of every platform', () => {
  const platforms = Object.values(RULES).filter(({ pictures }) => pictures !== null);
  const pictures: [string, () => Promise<Buffer>][] = [
    ['of a photo with many bytes', () => noise(1500, 1000).png({ compressionLevel: 0 }).toBuffer()],
    ['of a transparent image', () => noise(500, 500, 4).png({ compressionLevel: 0 }).toBuffer()],
    ['of a tall image', () => flat(500, 2500).jpeg().toBuffer()],
    ['of a wide image', () => flat(2500, 500).webp().toBuffer()],
    // Longer than any platform accepts, and not much to decode.
    ['of an image of 10,500 pixels', () => flat(10_500, 1000).png({ compressionLevel: 1 }).toBuffer()],
  ];

  test.each(pictures)('%s', async (_, draw) => {
    const path = await fileOf(await draw());
    for (const { platform, pictures: needs } of platforms) {
      const made = await convertPicture(path, needs!);
      const inspection = await inspectBytes(made.bytes);
      if (inspection.type !== 'known') throw new Error(inspection.message);
      expect({ platform, unmet: unmetNeeds(needs!, inspection.facts) }).toEqual({ platform, unmet: [] });
      expect(inspection.facts).toMatchObject({ type: made.type, width: made.width, height: made.height });
    }
  });
});

describe('a converted image', () => {
  // B026
  test('has white instead of transparency, or stays transparent where that is accepted', async () => {
    const clear = await flat(200, 200, { r: 0, g: 0, b: 0, alpha: 0 }, 4).png().toBuffer();
    const onWhite = await make(clear, needsOf('instagram'));
    expect(onWhite.type).toBe('image/jpeg');
    expect(await pixel(onWhite.bytes, 100, 100)).toEqual([255, 255, 255]);
    const kept = await make(clear, { ...needsOf('bluesky'), max_bytes: 5000 });
    expect(kept.type).toBe('image/webp');
    expect((await sharp(kept.bytes).stats()).isOpaque).toBe(false);
    expect((await make(clear, { ...needsOf('linkedin'), max_pixels: 100 })).type).toBe('image/png');
  });

  test('is a JPEG where the alpha channel is opaque', async () => {
    const opaque = await noise(200, 100).ensureAlpha().png().toBuffer();
    expect(await make(opaque, needsOf('bluesky'))).toMatchObject({ type: 'image/jpeg' });
  });

  // B043
  test('is upright and has no metadata', async () => {
    const bytes = await noise(400, 300)
      .jpeg({ quality: 100 })
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const made = await make(bytes, { ...any, max_bytes: 100_000 });
    const { exif, orientation, icc } = await sharp(made.bytes).metadata();
    expect({ exif, orientation, icc }).toEqual({ exif: undefined, orientation: undefined, icc: undefined });
    expect(made).toMatchObject({ width: 300, height: 400 });
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('is upright for orientation %i', async orientation => {
    const red = await flat(40, 20, 'red').png().toBuffer();
    const stored = await flat(80, 40, 'white')
      .composite([{ input: red, left: 0, top: 0 }])
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
      .withMetadata({ orientation })
      .toBuffer();
    const seen = await sharp(stored).autoOrient().png().toBuffer();
    const made = await make(stored, any);
    const { width, height } = await sharp(seen).metadata();
    expect(made).toMatchObject({ width, height });
    for (const [x, y] of [
      [5, 5],
      [width - 5, height - 5],
      [5, height - 5],
      [width - 5, 5],
    ] as const) {
      const [want, have] = [await pixel(seen, x, y), await pixel(made.bytes, x, y)];
      have.forEach((value, index) => expect(Math.abs(value - want[index]!)).toBeLessThan(12));
    }
  });

  test.each([
    ['a CMYK photo', () => flat(60, 40, 'red').toColourspace('cmyk').jpeg().toBuffer()],
    ['a grey image', () => noise(60, 40, 1).png().toBuffer()],
    ['an image of 16 bits', () => flat(60, 40).toColourspace('rgb16').png().toBuffer()],
    ['an image with a palette', () => flat(60, 40).png({ palette: true }).toBuffer()],
    ['a GIF', () => flat(60, 40).gif().toBuffer()],
  ])('is in sRGB with 8 bits per channel: %s', async (_, draw) => {
    const made = await make(await draw(), any);
    const { space, depth, channels } = await sharp(made.bytes).metadata();
    expect({ space, depth, channels }).toEqual({ space: 'srgb', depth: 'uchar', channels: 3 });
  });

  test('gets white margins for its aspect ratio; nothing is cropped or enlarged', async () => {
    const tall = await flat(300, 900, 'red').png().toBuffer();
    const made = await make(tall, needsOf('instagram'));
    expect(made).toMatchObject({ width: 720, height: 900 });
    expect(await pixel(made.bytes, 5, 450)).toEqual([255, 255, 255]);
    expect((await pixel(made.bytes, 360, 5))[0]).toBeGreaterThan(240);
    expect((await pixel(made.bytes, 360, 5))[1]).toBeLessThan(20);
  });

  // B044
  test('is reduced to the pixel limit', async () => {
    const needs = { ...needsOf('linkedin'), max_pixels: 1_000_000 };
    const made = await make(await flat(1500, 1000).jpeg().toBuffer(), needs);
    expect(made.width * made.height).toBeLessThanOrEqual(1_000_000);
    expect(made.width).toBeGreaterThan(1200);
  });

  test('is reduced in quality before it is reduced in size', async () => {
    const bytes = await noise(1000, 600).png().toBuffer();
    expect(await make(bytes, { ...any, max_bytes: 600_000 })).toMatchObject({ width: 1000, height: 600 });
    const small = await make(bytes, { ...any, max_bytes: 60_000 });
    expect(small.bytes.byteLength).toBeLessThanOrEqual(60_000);
    expect(small.width).toBeLessThan(1000);
    expect(small.width / small.height).toBeCloseTo(1000 / 600, 1);
  });

  test('has the same bytes whenever it is converted', async () => {
    const path = await fileOf(await noise(900, 700, 4).png().toBuffer());
    const hashes = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      const { bytes } = await convertPicture(path, needsOf('bluesky'));
      hashes.add(createHash('sha256').update(bytes).digest('hex'));
    }
    expect(hashes.size).toBe(1);
  });

  test('is the first frame of an animation', async () => {
    const frames = await Promise.all(['red', 'blue'].map(colour => flat(40, 30, colour).png().toBuffer()));
    const gif = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    const made = await make(gif, any);
    expect(made).toMatchObject({ width: 40, height: 30 });
    expect((await pixel(made.bytes, 20, 15))[0]).toBeGreaterThan(240);
  });
});

describe('the conversion refuses', () => {
  test.each<[string, () => Promise<Buffer>, RegExp]>([
    [
      'a truncated PNG',
      async () => (await noise(400, 400).png().toBuffer()).subarray(0, 5000),
      /cannot be decoded/,
    ],
    [
      'a truncated JPEG',
      async () => (await noise(400, 400).jpeg().toBuffer()).subarray(0, 5000),
      /cannot be decoded/,
    ],
    ['text', () => Promise.resolve(Buffer.from('no picture')), /cannot be decoded/],
    [
      'a decompression bomb',
      () => Promise.resolve(pngOfSize(30_000, 30_000)),
      /up to 100000000 pixels; this one has 900000000 pixels/,
    ],
    [
      'one line of pixels over the limit',
      () => Promise.resolve(pngOfSize(10_000, 10_001)),
      /has 100010000 pixels/,
    ],
    [
      'a PNG with fewer pixels than its header says',
      () => Promise.resolve(pngOfSize(3000, 3000)),
      /cannot be decoded/,
    ],
  ])('%s', async (_, draw, message) => {
    await expect(make(await draw(), any)).rejects.toMatchObject({
      kind: 'rejected',
      code: 'MEDIA_REJECTED',
      message: expect.stringMatching(message),
    });
  });

  test('an image that must be decoded as a whole above 50 megapixels', async () => {
    const bytes = await flat(72, 70).jpeg({ progressive: true }).toBuffer();
    const frame = bytes.indexOf(Buffer.from('ffc2', 'hex'));
    bytes.writeUInt16BE(7000, frame + 5);
    bytes.writeUInt16BE(7200, frame + 7);
    await expect(make(bytes, any)).rejects.toMatchObject({
      message: expect.stringMatching(
        /^Progressive or interlaced images .* up to 50000000 pixels; this one has 50400000/,
      ),
    });
  });

  test('an image that would become a thumbnail', async () => {
    await expect(
      make(await noise(400, 400).png().toBuffer(), { ...any, max_bytes: 500 }),
    ).rejects.toMatchObject({
      code: 'MEDIA_REJECTED',
      message: 'The image cannot be reduced to 500 bytes',
    });
  });
});
