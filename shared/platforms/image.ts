import type { Metadata, Sharp } from 'sharp';
import { PlatformError } from './error.ts';

export interface ImageFacts {
  /** MIME type, told from the bytes. */
  type: string;
  /** Pixels as a viewer sees the picture: after the orientation that a camera noted. */
  width: number;
  height: number;
  animated: boolean;
}

export interface Image {
  bytes: Uint8Array;
  type: string;
  width: number;
  height: number;
}

export interface ShrinkLimits {
  maxBytes: number;
  /** Longest side in pixels; absent: not limited. */
  maxSide?: number;
}

/** Where a re-encoding starts: more pixels than this do not show in a post. */
const FIRST_SIDE = 4000;
/** Smaller than this a picture is no longer the same picture. */
const LAST_SIDE = 200;
const SCALE_STEP = 0.8;
const QUALITIES = [85, 75, 65, 55] as const;
const SCALED_QUALITY = 75;

const TYPES: Readonly<Record<string, string>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
};

/** What a picture is, from its bytes. Throws PlatformError `rejected` for what is no JPEG, PNG, WebP or GIF. */
export async function describeImage(bytes: Uint8Array): Promise<ImageFacts> {
  const metadata = await open(bytes)
    .then(picture => picture.metadata())
    .catch(refuse);
  return factsOf(metadata);
}

/**
 * The picture within the limits: untouched where it fits already, else re-encoded (JPEG, or WebP where there is
 * transparency) upright and without metadata, first at lower quality, then smaller. Of an animation the first frame
 * stays. Throws PlatformError `rejected` for a broken picture and for one that cannot be made small enough.
 */
export async function shrinkImage(bytes: Uint8Array, limits: ShrinkLimits): Promise<Image> {
  const { type, width, height } = await describeImage(bytes);
  const side = Math.max(width, height);
  const maxSide = limits.maxSide ?? Infinity;
  if (bytes.byteLength <= limits.maxBytes && side <= maxSide) return { bytes, type, width, height };

  const pixels = await decode(bytes, Math.min(side, maxSide, FIRST_SIDE)).catch(refuse);
  for (const attempt of attempts(Math.max(pixels.width, pixels.height))) {
    const image = await encode(pixels, attempt);
    if (image.bytes.byteLength <= limits.maxBytes) return image;
  }
  return refuse(new Error(`the picture cannot be made smaller than ${limits.maxBytes} bytes`));
}

interface Pixels {
  data: Uint8Array;
  width: number;
  height: number;
  channels: 1 | 2 | 3 | 4;
}

interface Attempt {
  side: number;
  quality: number;
}

/** Quality goes first, since it shows least; then size. */
function attempts(side: number): Attempt[] {
  const list: Attempt[] = QUALITIES.map(quality => ({ side, quality }));
  for (let scaled = side * SCALE_STEP; scaled >= LAST_SIDE; scaled *= SCALE_STEP) {
    list.push({ side: Math.round(scaled), quality: SCALED_QUALITY });
  }
  return list;
}

/** Decodes once, upright and no larger than needed, so that each attempt only encodes. */
async function decode(bytes: Uint8Array, side: number): Promise<Pixels> {
  const picture = (await open(bytes)).autoOrient().resize(fitInto(side)).toColourspace('srgb');
  const { isOpaque } = await (await open(bytes)).stats();
  const { data, info } = await (isOpaque ? picture.removeAlpha() : picture)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
}

async function encode({ data, width, height, channels }: Pixels, { side, quality }: Attempt): Promise<Image> {
  const { default: sharp } = await import('sharp');
  const hasAlpha = channels === 2 || channels === 4;
  const scaled = sharp(data, { raw: { width, height, channels } }).resize(fitInto(side));
  const encoded = hasAlpha ? scaled.webp({ quality }) : scaled.jpeg({ quality });
  const { data: result, info } = await encoded.toBuffer({ resolveWithObject: true });
  return {
    bytes: result,
    type: hasAlpha ? 'image/webp' : 'image/jpeg',
    width: info.width,
    height: info.height,
  };
}

function fitInto(side: number) {
  return { width: side, height: side, fit: 'inside', withoutEnlargement: true } as const;
}

/** Loaded on first use: a function without images never pays for it. */
async function open(bytes: Uint8Array): Promise<Sharp> {
  const { default: sharp } = await import('sharp');
  return sharp(bytes);
}

function factsOf({ format, autoOrient, pages }: Metadata): ImageFacts {
  const type = TYPES[format];
  if (type === undefined) return refuse(new Error(`${format} is not supported; use JPEG, PNG, WebP or GIF`));
  return { type, width: autoOrient.width, height: autoOrient.height, animated: (pages ?? 1) > 1 };
}

function refuse(cause: unknown): never {
  const words = cause instanceof Error ? cause.message : String(cause);
  throw new PlatformError({ kind: 'rejected', code: 'MEDIA_REJECTED', message: `Image refused: ${words}` });
}
