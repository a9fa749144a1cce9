import type { Metadata, Sharp, SharpOptions } from 'sharp';
import { PlatformError } from '../../platforms/contract/error.ts';
import type { PictureNeeds } from '../../platforms/contract/pictures.ts';
import { mediaRejected } from '../fetch/host-errors.ts';
import { MAX_CONVERTED_PIXELS, MAX_FULL_DECODE_PIXELS } from '../limits/picture-needs.ts';
import { marginsFor, outputSize, scaleSize, type Size } from './output-size.ts';

export interface ConvertedPicture {
  bytes: Buffer;
  type: string;
  width: number;
  height: number;
}

/** Quality is reduced before size, since it shows least. */
const QUALITIES = [90, 82, 75, 65, 55] as const;
const SCALED_QUALITY = 75;
const SCALE_STEP = 0.8;
/** Below this side length an image is a thumbnail, no longer the same image. */
const MIN_LONG_SIDE = 200;
/** The default effort of WebP takes up to half a minute for a detailed image. */
const ENCODER_OPTIONS = {
  jpeg: (quality: number) => ({ quality }),
  png: () => ({}),
  webp: (quality: number) => ({ quality, effort: 1 }),
} as const;
const TIMEOUT_S = 40;
const WHITE = '#ffffff';

/** Files are read from front to back; a damaged one is refused rather than shown in part. */
const READ_OPTIONS: SharpOptions = {
  sequentialRead: true,
  failOn: 'error',
  limitInputPixels: MAX_CONVERTED_PIXELS,
};

/**
 * Converts the image in a file to what the needs ask for: upright, in sRGB, without metadata, of an animation the first
 * frame. The same file and needs give the same bytes. An image of 100 megapixels takes about 240 MB of memory. Throws
 * PlatformError `rejected` for a damaged image, for too many pixels, and where the byte limit cannot be met.
 */
export async function convertPicture(path: string, needs: PictureNeeds): Promise<ConvertedPicture> {
  try {
    const metadata = await (await loadSharp())(path, { limitInputPixels: false }).metadata();
    assertPixelLimit(metadata);
    const pixels = await decode(path, outputSize(needs, metadata.autoOrient), needs);
    for (const attempt of encodingAttempts(needs, pixels)) {
      const converted = await encode(pixels, needs, attempt);
      if (converted.bytes.byteLength <= (needs.max_bytes ?? Infinity)) return converted;
    }
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    const message = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw mediaRejected(`The image cannot be decoded: ${message ?? ''}`);
  }
  throw mediaRejected(`The image cannot be reduced to ${needs.max_bytes ?? 0} bytes`);
}

interface Pixels extends Size {
  data: Buffer;
  channels: 1 | 2 | 3 | 4;
  isTransparent: boolean;
}

interface EncodingAttempt {
  format: 'jpeg' | 'png' | 'webp';
  scale: number;
  quality: number;
}

function encodingAttempts(
  { alpha }: PictureNeeds,
  { isTransparent, width, height }: Pixels,
): EncodingAttempt[] {
  const format = !isTransparent || alpha === 'white' ? 'jpeg' : alpha === 'PNG' ? 'png' : 'webp';
  // PNG is lossless: quality makes no difference.
  const fullSize = (format === 'png' ? [SCALED_QUALITY] : QUALITIES).map(quality => ({ scale: 1, quality }));
  const smaller: Omit<EncodingAttempt, 'format'>[] = [];
  const longSide = Math.max(width, height);
  for (let scale = SCALE_STEP; longSide * scale >= MIN_LONG_SIDE; scale *= SCALE_STEP) {
    smaller.push({ scale, quality: SCALED_QUALITY });
  }
  return [...fullSize, ...smaller].map(attempt => ({ format, ...attempt }));
}

/** An image that must be decoded as a whole takes the memory of all its pixels. */
function assertPixelLimit({ width, height, isProgressive }: Metadata): void {
  const limit = isProgressive ? MAX_FULL_DECODE_PIXELS : MAX_CONVERTED_PIXELS;
  if (width * height <= limit) return;
  const kind = isProgressive ? 'Progressive or interlaced images' : 'Images';
  throw mediaRejected(
    `${kind} can be converted up to ${limit} pixels; this one has ${width * height} pixels`,
  );
}

/** Decodes once, upright and no larger than needed, so that each attempt only encodes. */
async function decode(path: string, { width, height }: Size, { alpha }: PictureNeeds): Promise<Pixels> {
  const picture = (await open(path))
    .autoOrient()
    .resize({ width, height, fit: 'fill' })
    .toColourspace('srgb');
  const { data, info } = await (alpha === 'white' ? picture.flatten({ background: WHITE }) : picture)
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { channels } = info;
  const isTransparent = channels === 2 || channels === 4 ? !isOpaque(data, channels) : false;
  return { data, channels, isTransparent, width: info.width, height: info.height };
}

function isOpaque(data: Buffer, channels: 2 | 4): boolean {
  for (let at = channels - 1; at < data.length; at += channels) if (data[at] !== 255) return false;
  return true;
}

async function encode(
  { data, width, height, channels, isTransparent }: Pixels,
  needs: PictureNeeds,
  { format, scale, quality }: EncodingAttempt,
): Promise<ConvertedPicture> {
  const sharp = await loadSharp();
  const size = scaleSize({ width, height }, scale);
  const picture = sharp(data, { raw: { width, height, channels } })
    .timeout({ seconds: TIMEOUT_S })
    .resize({ ...size, fit: 'fill' })
    .extend({ ...marginsFor(needs, size), background: WHITE });
  const { data: bytes, info } = await (isTransparent ? picture : picture.removeAlpha())
    .toFormat(format, ENCODER_OPTIONS[format](quality))
    .toBuffer({ resolveWithObject: true });
  return { bytes, type: `image/${format}`, width: info.width, height: info.height };
}

async function open(path: string): Promise<Sharp> {
  const sharp = await loadSharp();
  return sharp(path, READ_OPTIONS).timeout({ seconds: TIMEOUT_S });
}

/** Loads the library on first use, so that other functions never do. One thread and no cache save memory. */
async function loadSharp() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}
