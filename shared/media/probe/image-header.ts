import { imageSize } from 'image-size';
import type { MediaFacts, MediaFormat } from '../../model/media.ts';

type ImageHeader = Pick<MediaFacts, 'width' | 'height' | 'animated' | 'alpha'>;

/** Reads what an image's first bytes say. Nothing is decoded, so that an image of any size costs the same. */
export function imageHeader(format: MediaFormat, head: Uint8Array): ImageHeader {
  // A copy: the parsers read beyond the end of a view into a larger buffer.
  const bytes = Buffer.from(head);
  return {
    ...readDimensions(bytes),
    ...(FRAME_READERS[format]?.(bytes) ?? { animated: false, alpha: false }),
  };
}

/** Returns width and height after applying the EXIF orientation. */
function readDimensions(bytes: Buffer): Pick<MediaFacts, 'width' | 'height'> {
  try {
    const { width, height, orientation = 1 } = imageSize(bytes);
    if (!(width > 0 && height > 0)) return { width: null, height: null };
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  } catch {
    return { width: null, height: null };
  }
}

type FrameInfo = Pick<MediaFacts, 'animated' | 'alpha'>;

const FRAME_READERS: Readonly<Partial<Record<MediaFormat, (bytes: Buffer) => FrameInfo>>> = {
  GIF: gifFrameInfo,
  PNG: pngFrameInfo,
  WebP: webpFrameInfo,
};

function gifFrameInfo(bytes: Buffer): FrameInfo {
  const { frames, hasLoopExtension, ended } = walkGif(bytes);
  // The first frame may be longer than the bytes read; a GIF with a loop count is an animation all the same.
  if (frames > 1 || hasLoopExtension) return { animated: true, alpha: null };
  return { animated: ended ? false : null, alpha: null };
}

/** Tells whether the whole bytes of a GIF end with its trailer. */
export const hasGifTrailer = (whole: Buffer) => walkGif(whole).ended;

/** Walks the blocks of a GIF (GIF89a specification, sections 12 to 27) as far as the bytes go. */
function walkGif(bytes: Buffer): { frames: number; hasLoopExtension: boolean; ended: boolean } {
  let at = 13 + colourTableBytes(bytes[10] ?? 0);
  let frames = 0;
  let hasLoopExtension = false;
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === 0x3b) return { frames, hasLoopExtension, ended: true };
    if (kind === 0x2c) {
      frames += 1;
      at = afterSubBlocks(bytes, at + 11 + colourTableBytes(bytes[at + 9] ?? 0));
    } else if (kind === 0x21) {
      hasLoopExtension ||= bytes.toString('latin1', at + 3, at + 14) === 'NETSCAPE2.0';
      at = afterSubBlocks(bytes, at + 2);
    } else break;
  }
  return { frames, hasLoopExtension, ended: false };
}

const colourTableBytes = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** Returns the offset after a chain of sub-blocks, each prefixed by its length and ended by an empty one. */
function afterSubBlocks(bytes: Buffer, start: number): number {
  let at = start;
  for (let length = bytes[at]; length !== undefined && length > 0; length = bytes[at]) at += length + 1;
  return at + 1;
}

/** Reads the chunks before the pixels (PNG specification, 11.2 and 11.3). `acTL` makes it an APNG. */
function pngFrameInfo(bytes: Buffer): FrameInfo {
  const found: FrameInfo = { animated: false, alpha: (bytes[25] ?? 0) >= 4 };
  for (let at = 8; at + 12 <= bytes.length;) {
    const name = bytes.toString('latin1', at + 4, at + 8);
    if (name === 'IDAT') return found;
    if (name === 'acTL') found.animated = bytes.readUInt32BE(at + 8) > 1;
    if (name === 'tRNS') found.alpha = true;
    at += 12 + bytes.readUInt32BE(at);
  }
  return { animated: found.animated || null, alpha: found.alpha || null };
}

/** Reads the flags of the extended header, or of the lossless bitstream (RFC 9649, 2.7 and 3.4). */
function webpFrameInfo(bytes: Buffer): FrameInfo {
  const kind = bytes.toString('latin1', 12, 16);
  const flags = bytes[20] ?? 0;
  if (kind === 'VP8X') return { animated: (flags & 0x02) !== 0, alpha: (flags & 0x10) !== 0 };
  return { animated: false, alpha: kind === 'VP8L' && ((bytes[24] ?? 0) & 0x10) !== 0 };
}
