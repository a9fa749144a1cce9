import { imageSize } from 'image-size';
import type { MediaFacts, MediaFormat } from '../../model/media.ts';

type ImageHeader = Pick<MediaFacts, 'width' | 'height' | 'animated' | 'alpha' | 'frames'>;

/** Reads what an image's first bytes say. Nothing is decoded, so that an image of any size costs the same. */
export function imageHeader(format: MediaFormat, head: Uint8Array): ImageHeader {
  // A copy: the parsers read beyond the end of a view into a larger buffer.
  const bytes = Buffer.from(head);
  return {
    ...readDimensions(bytes),
    ...(FRAME_READERS[format]?.(bytes) ?? STILL),
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

type FrameInfo = Pick<MediaFacts, 'animated' | 'alpha' | 'frames'>;

const STILL: FrameInfo = { animated: false, alpha: false, frames: 1 };

/** GIF declares neither: `countFrames` counts its frames, and transparency depends on each of them. */
const FRAME_READERS: Readonly<Partial<Record<MediaFormat, (bytes: Buffer) => FrameInfo>>> = {
  GIF: () => ({ animated: null, alpha: null, frames: null }),
  PNG: pngFrameInfo,
  WebP: webpFrameInfo,
};

/** Reads the chunks before the pixels (PNG specification, 11.2 and 11.3). `acTL` makes it an APNG. */
function pngFrameInfo(bytes: Buffer): FrameInfo {
  const found = { animated: false, alpha: (bytes[25] ?? 0) >= 4, frames: 1 };
  for (let at = 8; at + 12 <= bytes.length;) {
    const name = bytes.toString('latin1', at + 4, at + 8);
    if (name === 'IDAT') return found;
    if (name === 'acTL') found.frames = bytes.readUInt32BE(at + 8);
    found.animated = found.frames > 1;
    if (name === 'tRNS') found.alpha = true;
    at += 12 + bytes.readUInt32BE(at);
  }
  return { animated: found.animated || null, alpha: found.alpha || null, frames: null };
}

/** Reads the flags of the extended header, or of the lossless bitstream (RFC 9649, 2.7 and 3.4). */
function webpFrameInfo(bytes: Buffer): FrameInfo {
  const kind = bytes.toString('latin1', 12, 16);
  const flags = bytes[20] ?? 0;
  if (kind === 'VP8X') {
    const animated = (flags & 0x02) !== 0;
    return { animated, alpha: (flags & 0x10) !== 0, frames: animated ? null : 1 };
  }
  return { animated: false, alpha: kind === 'VP8L' && ((bytes[24] ?? 0) & 0x10) !== 0, frames: 1 };
}
