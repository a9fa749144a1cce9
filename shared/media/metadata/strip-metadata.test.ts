import { beforeAll, describe, expect, test } from '@jest/globals';
import sharp, { type Sharp } from 'sharp';
import { chunk } from '../../../test/support/bad-files.ts';
import { sampleFiles } from '../../../test/support/media.ts';
import type { MediaFormat } from '../../model/media.ts';
import { checkBytesIntegrity } from '../check-integrity.ts';
import { withoutMetadata } from './strip-metadata.ts';

const SECRET = 'Jane Doe, camera 4711';
const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:creator="${SECRET}"/></rdf:RDF></x:xmpmeta>`;

let sample: (name: string) => Buffer;
beforeAll(async () => {
  sample = await sampleFiles();
});

/** Returns an image as a phone writes it: with position, owner, XMP and a colour profile. */
const taken = (orientation: number): Sharp =>
  sharp(sample('photo.jpg'))
    .resize(300, 200)
    .withIccProfile('p3')
    .withExif({
      IFD0: { Artist: SECRET, Make: SECRET, Orientation: String(orientation) },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100', GPSLongitudeRef: 'W' },
    })
    .withMetadata({ orientation })
    .withIccProfile('p3')
    .withXmp(XMP);

const ENCODERS = {
  JPG: (image: Sharp) => image.jpeg().toBuffer(),
  PNG: (image: Sharp) => image.png().toBuffer(),
  WebP: (image: Sharp) => image.webp().toBuffer(),
} satisfies Partial<Record<MediaFormat, (image: Sharp) => Promise<Buffer>>>;
const FORMATS = ['JPG', 'PNG', 'WebP'] as const;

function strip(format: MediaFormat, bytes: Buffer): Buffer {
  const pieces = withoutMetadata(format, bytes);
  if (!pieces) throw new Error('The structure cannot be followed');
  return Buffer.concat(pieces);
}
const pixels = (bytes: Buffer) => sharp(bytes, { animated: true }).autoOrient().raw().toBuffer();
const facts = (bytes: Buffer) => sharp(bytes).metadata();

/** A segment of a JPEG. */
function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

describe.each(FORMATS)('a %s', format => {
  test.each([1, 6])('of orientation %i loses everything that is not the image', async orientation => {
    const before = await ENCODERS[format](taken(orientation));
    expect(before.includes(SECRET)).toBe(true);
    expect((await facts(before)).exif).toBeDefined();

    const after = strip(format, before);
    const { exif, xmp, iptc, icc, orientation: kept } = await facts(after);
    expect(after.includes(SECRET)).toBe(false);
    expect({ xmp, iptc, hasExif: exif !== undefined, kept: kept ?? 1 }).toEqual({
      xmp: undefined,
      iptc: undefined,
      hasExif: orientation !== 1,
      kept: orientation,
    });
    expect(exif?.includes('GPS') ?? false).toBe(false);
    expect(exif?.length ?? 0).toBeLessThan(40);
    expect(icc?.equals((await facts(before)).icc!)).toBe(true);
    expect((await pixels(after)).equals(await pixels(before))).toBe(true);
    expect(await checkBytesIntegrity(after)).toEqual({ format });
    expect(strip(format, after).equals(after)).toBe(true);
  });

  test('without metadata stays the same', () => {
    const bytes = sample({ JPG: 'photo.jpg', PNG: 'photo.png', WebP: 'photo.webp' }[format]);
    expect(strip(format, bytes).equals(bytes)).toBe(true);
  });

  test('loses what follows the image', async () => {
    const bytes = await ENCODERS[format](sharp(sample('photo.jpg')).resize(60, 40));
    const after = strip(format, Buffer.concat([bytes, sample('clip.mp4')]));
    expect(after.equals(bytes)).toBe(true);
  });
});

describe('a JPEG', () => {
  test('loses IPTC, comments, previews and the second image of a phone', async () => {
    const photo = await sharp(sample('photo.jpg')).resize(60, 40).jpeg().toBuffer();
    const iptc = segment(0xed, Buffer.from(`Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\x1a${SECRET}`, 'latin1'));
    const preview = segment(0xe2, Buffer.from(`MPF\0${SECRET}`, 'latin1'));
    const comment = segment(0xfe, Buffer.from(SECRET));
    const whole = Buffer.concat([
      photo.subarray(0, 2),
      iptc,
      preview,
      comment,
      photo.subarray(2),
      await ENCODERS.JPG(taken(1)),
    ]);
    expect(strip('JPG', whole).equals(photo)).toBe(true);
  });

  test('keeps the scans of a progressive image with restarts', async () => {
    const image = sharp(sample('photo.jpg'));
    const progressive = await image.clone().jpeg({ progressive: true }).toBuffer();
    const mozjpeg = await image.clone().jpeg({ mozjpeg: true }).toBuffer();
    for (const bytes of [progressive, mozjpeg]) expect(strip('JPG', bytes).equals(bytes)).toBe(true);
  });

  test('keeps the colour transform of CMYK', async () => {
    const cmyk = await sharp(sample('photo.jpg')).resize(60, 40).toColourspace('cmyk').jpeg().toBuffer();
    expect((await pixels(strip('JPG', cmyk))).equals(await pixels(cmyk))).toBe(true);
  });
});

describe('a PNG', () => {
  test('loses texts, times and private chunks, and keeps transparency and animation', () => {
    const png = sample('alpha.png');
    const at = 33;
    const control = chunk('acTL', Buffer.alloc(8, 1));
    const metadata = [
      chunk('tEXt', Buffer.from(`Author\0${SECRET}`)),
      chunk('iTXt', Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${XMP}`)),
      chunk('tIME', Buffer.alloc(7, 1)),
      chunk('caBX', Buffer.from(SECRET)),
    ];
    const whole = Buffer.concat([png.subarray(0, at), control, ...metadata, png.subarray(at)]);
    const expected = Buffer.concat([png.subarray(0, at), control, png.subarray(at)]);
    expect(strip('PNG', whole).equals(expected)).toBe(true);
  });
});

describe('a GIF', () => {
  test('loses comments and XMP, and keeps every frame and its repetitions', () => {
    const gif = sample('anim.gif');
    const end = gif.length - 1;
    const comment = Buffer.concat([Buffer.from([0x21, 0xfe, SECRET.length]), Buffer.from(`${SECRET}\0`)]);
    const xmp = Buffer.concat([
      Buffer.from([0x21, 0xff, 11]),
      Buffer.from('XMP DataXMP'),
      Buffer.from([SECRET.length]),
      Buffer.from(`${SECRET}\0`),
    ]);
    const whole = Buffer.concat([gif.subarray(0, end), comment, xmp, gif.subarray(end), Buffer.from(SECRET)]);
    expect(strip('GIF', whole).equals(gif)).toBe(true);
    expect(strip('GIF', gif).equals(gif)).toBe(true);
  });
});

test.each<[MediaFormat, string]>([
  ['JPG', 'photo.jpg'],
  ['PNG', 'photo.png'],
  ['WebP', 'photo.webp'],
  ['GIF', 'anim.gif'],
])('a %s whose structure ends too early has no version without metadata', (format, name) => {
  const bytes = sample(name);
  expect(withoutMetadata(format, bytes.subarray(0, bytes.length / 2))).toBeNull();
});
