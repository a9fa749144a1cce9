import { beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';
import { apngOf, heic, pdfWithScript, pngOfSize, svg } from '../../test/support/bad-files.ts';
import { filesOfFormats } from '../../test/support/formats.ts';
import { expectLinear } from '../../test/support/growth.ts';
import { sampleFiles } from '../../test/support/media.ts';
import { gifOf, soundOnly } from '../../test/support/moving-files.ts';
import type { FileAccess } from './probe/file-access.ts';
import { inspectFile, inspectBytes } from './inspect-file.ts';

let sample: (name: string) => Buffer;
beforeAll(async () => {
  sample = await sampleFiles();
});

const facts = async (bytes: Uint8Array) => {
  const inspection = await inspectBytes(bytes);
  if (inspection.type !== 'known') throw new Error(inspection.message);
  return inspection.facts;
};
const plain = (width = 40, height = 30): Sharp =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } });
const transparent = (): Sharp =>
  sharp({ create: { width: 40, height: 30, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0.5 } } });
const animated = async (format: 'gif' | 'webp') => {
  const frames = await Promise.all([plain().png().toBuffer(), plain().negate().png().toBuffer()]);
  return sharp(frames, { join: { animated: true } })
    [format]()
    .toBuffer();
};

describe('the inspection of a file', () => {
  test('does not count the frames of a file that its host sends without a size and in part', async () => {
    const partly = async (bytes: Buffer) => {
      const head = bytes.subarray(0, Math.floor(bytes.length / 2));
      const read = (start: number, end: number) => Promise.resolve(head.subarray(start, end));
      const inspection = await inspectFile({ size: null, read });
      return inspection.type === 'known' ? inspection.facts : inspection;
    };
    expect(await partly(gifOf(100))).toMatchObject({ animated: true, frames: null });
    expect(await partly(gifOf(1))).toMatchObject({ animated: null, frames: null });
    expect(await partly(await animated('webp'))).toMatchObject({ frames: null });
    const whole: FileAccess = {
      size: null,
      read: (from, to) => Promise.resolve(gifOf(3).subarray(from, to)),
    };
    expect(await inspectFile(whole)).toMatchObject({ facts: { animated: true, frames: 3 } });
  });

  // C017: "there is none" differs from "not known".
  test('counts the tracks of a video, and knows nothing of a container that it cannot read', async () => {
    const tracks = async (bytes: Uint8Array) => {
      const { video_tracks, audio_tracks } = await facts(bytes);
      return [video_tracks, audio_tracks];
    };
    expect(await tracks(sample('clip.mp4'))).toEqual([1, 1]);
    expect(await tracks(sample('clip.webm'))).toEqual([1, 1]);
    expect(await tracks(await soundOnly())).toEqual([0, 1]);
    expect(await tracks((await filesOfFormats()).AVI)).toEqual([null, null]);
  });

  test.each([
    ['clip.mp4', { video_codec: 'avc', audio_codec: 'aac', frame_rate: 24, duration: 6 }],
    ['clip.mov', { video_codec: 'avc', audio_codec: 'aac', frame_rate: 24, duration: 6 }],
    ['clip.webm', { video_codec: 'vp8', audio_codec: 'opus', frame_rate: 24 }],
  ])('reads codecs, frame rate and duration of %s', async (name, expected) => {
    expect(await facts(sample(name))).toMatchObject({ ...expected, width: 960, height: 540 });
  });

  test.each<[string, () => Promise<Buffer>, boolean, boolean | null]>([
    ['an animated GIF', () => animated('gif'), true, null],
    ['a still GIF', () => plain().gif().toBuffer(), false, null],
    ['an animated WebP', () => animated('webp'), true, false],
    ['a still WebP', () => plain().webp().toBuffer(), false, false],
    ['a WebP with alpha', () => transparent().webp().toBuffer(), false, true],
    ['a lossless WebP with alpha', () => transparent().webp({ lossless: true }).toBuffer(), false, true],
    ['a PNG', () => plain().png().toBuffer(), false, false],
    ['a PNG with alpha', () => transparent().png().toBuffer(), false, true],
    ['a PNG with a palette and alpha', () => transparent().png({ palette: true }).toBuffer(), false, true],
    ['an animated PNG', async () => apngOf(await plain().png().toBuffer()), true, false],
    ['a JPEG', () => plain().jpeg().toBuffer(), false, false],
  ])('detects animation and transparency of %s', async (_, make, animated, alpha) => {
    expect(await facts(await make())).toMatchObject({ animated, alpha, width: 40, height: 30 });
  });

  test('detects an animated GIF although its first frame is longer than what is read', async () => {
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
  test('returns width and height after applying the orientation', async () => {
    const turned = await plain(400, 300).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    expect(await facts(turned)).toMatchObject({ width: 300, height: 400 });
  });

  test('finds dimensions behind a megabyte of camera metadata', async () => {
    const jpeg = await plain().jpeg().toBuffer();
    const segments = Array.from({ length: 12 }, () =>
      Buffer.concat([Buffer.from('ffe1ffff', 'hex'), Buffer.alloc(0xfffd)]),
    );
    const long = Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
    expect(await facts(long)).toMatchObject({ width: 40, height: 30 });
  });

  // B020, B022
  test('ignores the name and the declared type', async () => {
    const file: FileAccess = {
      size: sample('clip.mp4').length,
      declared_type: 'text/html',
      read: (start, end) => Promise.resolve(sample('clip.mp4').subarray(start, end)),
    };
    expect(await inspectFile(file)).toMatchObject({ type: 'known', facts: { type: 'video/mp4' } });
  });

  test('reads less than 1 MiB of a 3 GB video whose index is at its end', async () => {
    const [head, tail] = split(sample('clip.mp4'));
    const gap = 3_000_000_000;
    const file = endIndexed(head, tail, gap);
    expect(await inspectFile(file.access)).toMatchObject({
      facts: { frame_rate: 24, width: 960, size: file.size },
    });
    expect(file.read()).toBeLessThan(1024 * 1024);
  });

  test('reads the dimensions of a decompression bomb without decoding it', async () => {
    const bomb = pngOfSize(30_000, 30_000);
    expect(await facts(bomb)).toMatchObject({ format: 'PNG', width: 30_000, height: 30_000 });
  });

  test('identifies a polyglot file by its first bytes', async () => {
    const gif = await plain().gif().toBuffer();
    const script = Buffer.concat([gif, Buffer.from('/*<script>alert(1)</script>*/')]);
    expect(await facts(script)).toMatchObject({ format: 'GIF', kind: 'image' });
    const jpegThenZip = Buffer.concat([await plain().jpeg().toBuffer(), Buffer.from('504b0304', 'hex')]);
    expect(await facts(jpegThenZip)).toMatchObject({ format: 'JPG' });
  });
});

/** Splits an MP4 into `ftyp` and `moov`, and `mdat`. */
function split(clip: Buffer): [head: Buffer, mdat: Buffer] {
  const at = clip.indexOf('mdat', 0, 'latin1') - 4;
  return [clip.subarray(0, at), clip.subarray(at)];
}

/** Returns an MP4 with a `free` box of `gap` bytes between `ftyp` and the index. */
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

describe('the inspection refuses', () => {
  test.each<[string, () => Buffer, RegExp]>([
    ['an empty file', () => Buffer.alloc(0), /^The file is empty$/],
    ['zeros', () => Buffer.alloc(5000), /not recognized/],
    ['text', () => Buffer.from('Hello'), /not recognized/],
    ['HEIC', heic, /HEIC image, .* Convert it to JPG or PNG/],
    ['SVG', () => svg(), /SVG image, .* Convert it to PNG/],
    ['SVG as XML', () => svg('<?xml version="1.0"?>\n<!-- by hand -->\n'), /SVG image/],
    ['a web page', () => Buffer.from('\n<!DOCTYPE html><title>Sign in</title>'), /web page/],
    ['an executable', () => Buffer.from('7f454c460201010000000000000000000200', 'hex'), /not supported/],
    [
      'what no one recognizes',
      () => Buffer.from('01020304', 'hex'),
      /^The type of the file was not recognized$/,
    ],
    ['an archive', () => Buffer.from('504b03041400000008000000000000000000', 'hex'), /zip, which is not/],
    ['a PDF with a script', () => pdfWithScript('plain'), /PDF with a script/],
    ['a PDF with a script in hex escapes', () => pdfWithScript('hex'), /PDF with a script/],
    ['a PDF with a compressed script', () => pdfWithScript('compressed'), /PDF with a script/],
  ])('%s', async (_, make, message) => {
    expect(await inspectBytes(make())).toMatchObject({
      type: 'unsupported',
      message: expect.stringMatching(message),
    });
  });

  test.each(['photo.jpg', 'photo.png', 'anim.gif', 'photo.webp', 'clip.mp4', 'clip.mov', 'clip.webm'])(
    '%s truncated anywhere',
    async name => {
      const whole = sample(name);
      for (const part of [0.9, 0.5, 0.1, 0.01]) {
        const inspection = await inspectBytes(whole.subarray(0, Math.floor(whole.length * part)));
        expect({ name, part, inspection }).toMatchObject({ inspection: { type: 'unsupported' } });
      }
    },
  );

  test('markup in time linear to its size', async () => {
    for (const piece of ['<!---->', '<?x?>', '<!doctype svg>', '<!-- ', '\n']) {
      const markup = (count: number) => Buffer.from(piece.repeat(count));
      expect(await inspectBytes(markup(10_000))).toMatchObject({ type: 'unsupported' });
      await expectLinear(inspectBytes, markup, 10_000);
    }
  });

  test.each([
    ['an SVG behind many comments', `<?xml version="1.0"?>${'<!---->'.repeat(60)}<svg/>`, /SVG/],
    ['an SVG with a prefix', '<svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>', /SVG/],
    ['an SVG with a doctype', '<!DOCTYPE svg PUBLIC "x" "y" [<!ENTITY a "b">]><svg/>', /SVG/],
    ['a web page behind a comment', '<!-- saved -->\n<HTML><body>', /web page/],
  ])('%s', async (_, text, message) => {
    expect(await inspectBytes(Buffer.from(text))).toMatchObject({ message: expect.stringMatching(message) });
  });

  test('not a PDF without a script', async () => {
    expect(await facts(sample('doc.pdf'))).toMatchObject({ format: 'PDF', kind: 'document' });
  });

  // One changed byte sends the parser on an endless search through bytes that are in its memory.
  test.each([
    [320, 25],
    [1552, 78],
  ])('a WebM whose byte %i is damaged, in bounded time', async (offset, value) => {
    const damaged = Buffer.from(sample('clip.webm').subarray(0, 20_000));
    damaged[offset] = value;
    expect(await inspectBytes(damaged)).toEqual(expect.anything());
  });

  test('random bytes without throwing', async () => {
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
