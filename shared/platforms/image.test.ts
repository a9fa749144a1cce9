import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { describeImage, shrinkImage } from './image.ts';

/** Noise compresses badly: a small picture with many bytes. */
function noise(width: number, height: number, channels: 3 | 4 = 3) {
  return sharp(randomBytes(width * height * channels), { raw: { width, height, channels } });
}

describe('describing', () => {
  test.each([
    ['image/jpeg', () => noise(30, 20).jpeg()],
    ['image/png', () => noise(30, 20).png()],
    ['image/webp', () => noise(30, 20).webp()],
    ['image/gif', () => noise(30, 20).gif()],
  ])('tells %s from the bytes', async (type, make) => {
    expect(await describeImage(await make().toBuffer())).toEqual({
      type,
      width: 30,
      height: 20,
      animated: false,
    });
  });

  test('gives the size that a viewer sees, after the orientation', async () => {
    const bytes = await noise(40, 30).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    expect(await describeImage(bytes)).toMatchObject({ width: 30, height: 40 });
  });

  test('sees an animation', async () => {
    const frames = [await noise(10, 20).png().toBuffer(), await noise(10, 20).png().toBuffer()];
    const animated = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    expect(await describeImage(animated)).toMatchObject({
      type: 'image/gif',
      width: 10,
      height: 20,
      animated: true,
    });
  });

  test.each([
    ['text', Buffer.from('no picture')],
    ['nothing', new Uint8Array()],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
  ])('refuses %s', async (_, bytes) => {
    await expect(describeImage(bytes)).rejects.toMatchObject({ kind: 'rejected', code: 'MEDIA_REJECTED' });
  });
});

describe('shrinking', () => {
  test('leaves a picture within the limits untouched, byte for byte', async () => {
    const bytes = await noise(100, 50).png().toBuffer();
    const image = await shrinkImage(bytes, { maxBytes: bytes.byteLength });
    expect(image).toEqual({ bytes, type: 'image/png', width: 100, height: 50 });
  });

  test('re-encodes one byte too much, as JPEG where nothing is transparent', async () => {
    const bytes = await noise(200, 100).png().toBuffer();
    const image = await shrinkImage(bytes, { maxBytes: bytes.byteLength - 1 });
    expect(image).toMatchObject({ type: 'image/jpeg', width: 200, height: 100 });
    expect(image.bytes.byteLength).toBeLessThan(bytes.byteLength);
    expect(await describeImage(image.bytes)).toMatchObject({ type: 'image/jpeg', width: 200, height: 100 });
  });

  test('keeps transparency by WebP, but not an alpha channel that is all opaque', async () => {
    const through = await noise(200, 100, 4).png().toBuffer();
    expect(await shrinkImage(through, { maxBytes: 40_000 })).toMatchObject({ type: 'image/webp' });
    const opaque = await noise(200, 100).ensureAlpha().png().toBuffer();
    expect(await shrinkImage(opaque, { maxBytes: 40_000 })).toMatchObject({ type: 'image/jpeg' });
  });

  test('turns a picture upright and drops what the camera noted', async () => {
    const bytes = await noise(400, 300)
      .jpeg({ quality: 100 })
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const image = await shrinkImage(bytes, { maxBytes: 100_000 });
    const { exif, orientation } = await sharp(image.bytes).metadata();
    expect({ exif, orientation }).toEqual({ exif: undefined, orientation: undefined });
    expect(image).toMatchObject({ width: 300, height: 400 });
  });

  test('scales down when quality alone is not enough', async () => {
    const image = await shrinkImage(await noise(1000, 600).png().toBuffer(), { maxBytes: 60_000 });
    expect(image.bytes.byteLength).toBeLessThanOrEqual(60_000);
    expect(image.width).toBeLessThan(1000);
    expect(image.width / image.height).toBeCloseTo(1000 / 600, 1);
  });

  test('honours the longest side', async () => {
    const bytes = await noise(300, 900).jpeg().toBuffer();
    expect(await shrinkImage(bytes, { maxBytes: 1e9, maxSide: 450 })).toMatchObject({
      width: 150,
      height: 450,
    });
  });

  test('gives up clearly rather than sending a thumbnail', async () => {
    const bytes = await noise(400, 400).png().toBuffer();
    await expect(shrinkImage(bytes, { maxBytes: 500 })).rejects.toMatchObject({
      code: 'MEDIA_REJECTED',
      message: 'Image refused: the picture cannot be made smaller than 500 bytes',
    });
  });

  test('refuses a picture that breaks off', async () => {
    const bytes = await noise(400, 400).png().toBuffer();
    await expect(shrinkImage(bytes.subarray(0, 5000), { maxBytes: 1000 })).rejects.toMatchObject({
      code: 'MEDIA_REJECTED',
    });
  });
});
