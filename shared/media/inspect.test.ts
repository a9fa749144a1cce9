import { beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';
import { apngOf, heic, pdfWithScript, pngOfSize, svg } from '../../test/support/bad-files.ts';
import { sampleFiles } from '../../test/support/media.ts';
import type { FileAccess } from './access.ts';
import { inspect, inspectBytes } from './inspect.ts';

let sample: (name: string) => Buffer;
beforeAll(async () => {
  sample = await sampleFiles();
});

const facts = async (bytes: Uint8Array) => {
  const look = await inspectBytes(bytes);
  if (look.type !== 'known') throw new Error(look.message);
  return look.facts;
};
const plain = (width = 40, height = 30): Sharp =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } });
const clear = (): Sharp =>
  sharp({ create: { width: 40, height: 30, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0.5 } } });
const moving = async (format: 'gif' | 'webp') => {
  const frames = await Promise.all([plain().png().toBuffer(), plain().negate().png().toBuffer()]);
  return sharp(frames, { join: { animated: true } })
    [format]()
    .toBuffer();
};

describe('a look at a file', () => {
  test.each([
    ['clip.mp4', { video_codec: 'avc', audio_codec: 'aac', frame_rate: 24, duration: 6 }],
    ['clip.mov', { video_codec: 'avc', audio_codec: 'aac', frame_rate: 24, duration: 6 }],
    ['clip.webm', { video_codec: 'vp8', audio_codec: 'opus', frame_rate: 24 }],
  ])('tells codecs, rate and length of %s', async (name, expected) => {
    expect(await facts(sample(name))).toMatchObject({ ...expected, width: 640, height: 360 });
  });

  test.each<[string, () => Promise<Buffer>, boolean, boolean | null]>([
    ['a GIF that moves', () => moving('gif'), true, null],
    ['a still GIF', () => plain().gif().toBuffer(), false, null],
    ['a WebP that moves', () => moving('webp'), true, false],
    ['a still WebP', () => plain().webp().toBuffer(), false, false],
    ['a WebP with alpha', () => clear().webp().toBuffer(), false, true],
    ['a lossless WebP with alpha', () => clear().webp({ lossless: true }).toBuffer(), false, true],
    ['a PNG', () => plain().png().toBuffer(), false, false],
    ['a PNG with alpha', () => clear().png().toBuffer(), false, true],
    ['a PNG with a palette and alpha', () => clear().png({ palette: true }).toBuffer(), false, true],
    ['a PNG that moves', async () => apngOf(await plain().png().toBuffer()), true, false],
    ['a JPEG', () => plain().jpeg().toBuffer(), false, false],
  ])('sees whether it moves, and whether something shines through: %s', async (_, make, animated, alpha) => {
    expect(await facts(await make())).toMatchObject({ animated, alpha, width: 40, height: 30 });
  });

  test('sees that a GIF moves although its first frame is longer than what is read', async () => {
    const noise = () =>
      sharp(randomBytes(600 * 400 * 3), { raw: { width: 600, height: 400, channels: 3 } })
        .png()
        .toBuffer();
    const gif = await sharp([await noise(), await noise()], { join: { animated: true } })
      .gif()
      .toBuffer();
    expect(gif.length).toBeGreaterThan(150_000);
    expect(await facts(gif)).toMatchObject({ animated: true });
  });

  // B043
  test('gives width and height as a viewer sees them', async () => {
    const turned = await plain(400, 300).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    expect(await facts(turned)).toMatchObject({ width: 300, height: 400 });
  });

  test('finds dimensions behind a megabyte of notes of the camera', async () => {
    const jpeg = await plain().jpeg().toBuffer();
    const messages = Array.from({ length: 12 }, () =>
      Buffer.concat([Buffer.from('ffe1ffff', 'hex'), Buffer.alloc(0xfffd)]),
    );
    const long = Buffer.concat([jpeg.subarray(0, 2), ...messages, jpeg.subarray(2)]);
    expect(await facts(long)).toMatchObject({ width: 40, height: 30 });
  });

  // B020, B022
  test('asks neither for a name nor for a type', async () => {
    const file: FileAccess = {
      size: sample('clip.mp4').length,
      said_type: 'text/html',
      read: (start, end) => Promise.resolve(sample('clip.mp4').subarray(start, end)),
    };
    expect(await inspect(file)).toMatchObject({ type: 'known', facts: { type: 'video/mp4' } });
  });

  test('reads little of a large clip, wherever its index lies', async () => {
    const [head, tail] = split(sample('clip.mp4'));
    const gap = 3_000_000_000;
    const file = endIndexed(head, tail, gap);
    expect(await inspect(file.access)).toMatchObject({
      facts: { frame_rate: 24, width: 640, size: file.size },
    });
    expect(file.read()).toBeLessThan(1024 * 1024);
  });

  test('takes a bomb for what it says it is, and unpacks nothing', async () => {
    const bomb = pngOfSize(30_000, 30_000);
    expect(await facts(bomb)).toMatchObject({ format: 'PNG', width: 30_000, height: 30_000 });
  });

  test('takes a file of two kinds for what its first bytes say', async () => {
    const gif = await plain().gif().toBuffer();
    const script = Buffer.concat([gif, Buffer.from('/*<script>alert(1)</script>*/')]);
    expect(await facts(script)).toMatchObject({ format: 'GIF', kind: 'image' });
    const jpegThenZip = Buffer.concat([await plain().jpeg().toBuffer(), Buffer.from('504b0304', 'hex')]);
    expect(await facts(jpegThenZip)).toMatchObject({ format: 'JPG' });
  });
});

/** The clip cut before its pictures: `ftyp` and `moov` in front, `mdat` behind. */
function split(clip: Buffer): [head: Buffer, mdat: Buffer] {
  const at = clip.indexOf('mdat', 0, 'latin1') - 4;
  return [clip.subarray(0, at), clip.subarray(at)];
}

/** A clip with a hole of so many bytes between its first box and its index. */
function endIndexed(head: Buffer, mdat: Buffer, gap: number) {
  const ftyp = head.subarray(0, head.readUInt32BE(0));
  const free = Buffer.alloc(16);
  free.writeUInt32BE(1, 0);
  free.write('free', 4);
  free.writeBigUInt64BE(BigInt(gap), 8);
  const front = Buffer.concat([ftyp, free]);
  const back = Buffer.concat([head.subarray(ftyp.length), mdat]);
  const backAt = ftyp.length + gap;
  const size = backAt + back.length;
  let read = 0;
  const access: FileAccess = {
    size,
    read: (start, end) => {
      const part = Buffer.alloc(Math.min(end, size) - start);
      read += part.length;
      front.copy(part, 0, Math.min(start, front.length), Math.min(end, front.length));
      if (end > backAt) back.copy(part, Math.max(0, backAt - start), Math.max(0, start - backAt));
      return Promise.resolve(part);
    },
  };
  return { access, size, read: () => read };
}

describe('what the service does not take', () => {
  test.each<[string, () => Buffer, RegExp]>([
    ['nothing', () => Buffer.alloc(0), /^It is empty$/],
    ['zeros', () => Buffer.alloc(5000), /no known type/],
    ['text', () => Buffer.from('Hello'), /no known type/],
    ['HEIC', heic, /HEIC picture, .* send it as JPG or PNG/],
    ['SVG', () => svg(), /SVG drawing, .* send it as PNG/],
    ['SVG as XML', () => svg('<?xml version="1.0"?>\n<!-- by hand -->\n'), /SVG drawing/],
    ['a web page', () => Buffer.from('\n<!DOCTYPE html><title>Sign in</title>'), /web page/],
    ['a program', () => Buffer.from('7f454c460201010000000000000000000200', 'hex'), /not supported/],
    ['an archive', () => Buffer.from('504b03041400000008000000000000000000', 'hex'), /zip, which is not/],
    ['a PDF with a script', () => pdfWithScript('plain'), /PDF with a script/],
    ['a PDF with a script in numbers', () => pdfWithScript('numbers'), /PDF with a script/],
    ['a PDF with a packed script', () => pdfWithScript('packed'), /PDF with a script/],
  ])('%s', async (_, make, message) => {
    expect(await inspectBytes(make())).toMatchObject({
      type: 'unsupported',
      message: expect.stringMatching(message),
    });
  });

  test.each(['photo.jpg', 'photo.png', 'anim.gif', 'photo.webp', 'clip.mp4', 'clip.mov', 'clip.webm'])(
    '%s, cut off at any place, is damaged',
    async name => {
      const whole = sample(name);
      for (const part of [0.9, 0.5, 0.1, 0.01]) {
        const look = await inspectBytes(whole.subarray(0, Math.floor(whole.length * part)));
        expect({ name, part, look }).toMatchObject({ look: { type: 'unsupported' } });
      }
    },
  );

  test('a PDF without a script is taken', async () => {
    expect(await facts(sample('doc.pdf'))).toMatchObject({ format: 'PDF', kind: 'document' });
  });

  test('never throws, whatever the bytes are', async () => {
    const heads = ['photo.jpg', 'photo.png', 'anim.gif', 'photo.webp', 'clip.mp4', 'clip.webm', 'doc.pdf'];
    for (const name of heads) {
      for (let round = 0; round < 20; round += 1) {
        const bytes = Buffer.from(sample(name).subarray(0, 20_000));
        for (let changes = 0; changes < 10; changes += 1) {
          const [where = 0, what = 0] = randomBytes(8);
          bytes[16 + where * 8] = what;
        }
        expect(['known', 'unsupported']).toContain((await inspectBytes(bytes)).type);
      }
    }
  });
});
