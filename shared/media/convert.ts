import type { Metadata, Sharp, SharpOptions } from 'sharp';
import { PlatformError } from '../platforms/contract/error.ts';
import type { PictureNeeds } from '../platforms/contract/pictures.ts';
import { MAX_PIXELS, MAX_PIXELS_WHOLE } from './fit.ts';
import { marginsFor, planOf, scaled, type Size } from './plan.ts';
import { mediaRejected } from './refusal.ts';

/** A picture that was made anew. */
export interface MadePicture {
  bytes: Buffer;
  type: string;
  width: number;
  height: number;
}

/** Quality goes first, since it shows least; then size. */
const QUALITIES = [90, 82, 75, 65, 55] as const;
const SCALED_QUALITY = 75;
const SCALE_STEP = 0.8;
/** Smaller than this a picture is no longer the same picture. */
const LAST_SIDE = 200;
/** WebP tries hard by default, for half a minute where there is much to hide. */
const OPTIONS = {
  jpeg: (quality: number) => ({ quality }),
  png: () => ({}),
  webp: (quality: number) => ({ quality, effort: 1 }),
} as const;
const TIMEOUT_S = 40;
const WHITE = '#ffffff';

/** Files are read from front to back, and what is damaged is refused rather than shown in part. */
const READING: SharpOptions = { sequentialRead: true, failOn: 'error', limitInputPixels: MAX_PIXELS };

/**
 * Makes the picture in a file fit: upright, in sRGB, without notes of the camera, of an animation the first frame. The
 * same file and needs give the same bytes. A picture of 100 megapixels takes about 240 MB. Throws PlatformError
 * `rejected` for a broken picture, for one with too many pixels, and for one that cannot be made small enough.
 */
export async function makePicture(path: string, needs: PictureNeeds): Promise<MadePicture> {
  try {
    const metadata = await (await library())(path, { limitInputPixels: false }).metadata();
    assertModest(metadata);
    const pixels = await decode(path, planOf(needs, metadata.autoOrient), needs);
    for (const attempt of attempts(needs, pixels)) {
      const made = await encode(pixels, needs, attempt);
      if (made.bytes.byteLength <= (needs.max_bytes ?? Infinity)) return made;
    }
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    const words = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw mediaRejected(`The picture cannot be read: ${words ?? ''}`);
  }
  throw mediaRejected(`The picture cannot be made smaller than ${needs.max_bytes ?? 0} bytes`);
}

interface Pixels extends Size {
  data: Buffer;
  channels: 1 | 2 | 3 | 4;
  /** Something shines through. */
  isClear: boolean;
}

interface Attempt {
  format: 'jpeg' | 'png' | 'webp';
  scale: number;
  quality: number;
}

function attempts({ alpha }: PictureNeeds, { isClear, width, height }: Pixels): Attempt[] {
  const format = !isClear || alpha === 'white' ? 'jpeg' : alpha === 'PNG' ? 'png' : 'webp';
  // A PNG knows no quality.
  const whole = (format === 'png' ? [SCALED_QUALITY] : QUALITIES).map(quality => ({ scale: 1, quality }));
  const smaller: Omit<Attempt, 'format'>[] = [];
  const side = Math.max(width, height);
  for (let scale = SCALE_STEP; side * scale >= LAST_SIDE; scale *= SCALE_STEP) {
    smaller.push({ scale, quality: SCALED_QUALITY });
  }
  return [...whole, ...smaller].map(attempt => ({ format, ...attempt }));
}

/** What must be unpacked whole takes the memory of all its pixels. */
function assertModest({ width, height, isProgressive }: Metadata): void {
  const most = isProgressive ? MAX_PIXELS_WHOLE : MAX_PIXELS;
  if (width * height <= most) return;
  const kind = isProgressive ? 'progressive or interlaced pictures' : 'pictures';
  throw mediaRejected(
    `The picture has ${width * height} pixels. The service makes ${kind} anew up to ${most}`,
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
  const isClear = channels === 2 || channels === 4 ? !isOpaque(data, channels) : false;
  return { data, channels, isClear, width: info.width, height: info.height };
}

function isOpaque(data: Buffer, channels: 2 | 4): boolean {
  for (let at = channels - 1; at < data.length; at += channels) if (data[at] !== 255) return false;
  return true;
}

async function encode(
  { data, width, height, channels, isClear }: Pixels,
  needs: PictureNeeds,
  { format, scale, quality }: Attempt,
): Promise<MadePicture> {
  const sharp = await library();
  const size = scaled({ width, height }, scale);
  const picture = sharp(data, { raw: { width, height, channels } })
    .timeout({ seconds: TIMEOUT_S })
    .resize({ ...size, fit: 'fill' })
    .extend({ ...marginsFor(needs, size), background: WHITE });
  const { data: bytes, info } = await (isClear ? picture : picture.removeAlpha())
    .toFormat(format, OPTIONS[format](quality))
    .toBuffer({ resolveWithObject: true });
  return { bytes, type: `image/${format}`, width: info.width, height: info.height };
}

async function open(path: string): Promise<Sharp> {
  const sharp = await library();
  return sharp(path, READING).timeout({ seconds: TIMEOUT_S });
}

/** Loaded on first use: a function without pictures never pays for it. One thread and no cache: memory is short. */
async function library() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}
