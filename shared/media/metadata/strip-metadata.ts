import type { MediaFormat } from '../../model/media.ts';
import { withoutGifMetadata } from './gif.ts';
import { withoutJpegMetadata } from './jpeg.ts';
import { withoutPngMetadata } from './png.ts';
import { withoutWebpMetadata } from './webp.ts';

/*
 * What a camera or an editor writes into an image besides the image: where and when it was taken, by whom, with which
 * device, previews, comments. Some platforms serve the file as it was sent. Pixels, colour profile, orientation and
 * animation stay as they are, bit for bit. The libraries that do this drop the orientation, or decode the image.
 */

const STRIPPERS: Readonly<Partial<Record<MediaFormat, (bytes: Buffer) => Buffer[] | null>>> = {
  JPG: withoutJpegMetadata,
  PNG: withoutPngMetadata,
  GIF: withoutGifMetadata,
  WebP: withoutWebpMetadata,
};

/**
 * Returns an image without its metadata, in pieces that are to be joined. Null where its structure cannot be followed. BMP
 * has no metadata.
 */
export function withoutMetadata(format: MediaFormat, bytes: Buffer): readonly Buffer[] | null {
  const strip = STRIPPERS[format];
  return strip ? strip(bytes) : [bytes];
}
