import { imageSize } from 'image-size';
import type { MediaFacts, MediaFormat } from '../model/media.ts';

type PictureFacts = Pick<MediaFacts, 'width' | 'height' | 'animated' | 'alpha'>;

/** What a picture's first bytes tell; nothing is decoded, so a picture of any size costs the same. */
export function pictureFacts(format: MediaFormat, head: Uint8Array): PictureFacts {
  // A copy: the parsers read past the end of a view into a larger buffer.
  const bytes = Buffer.from(head);
  return { ...sizeIn(bytes), ...(FRAMES[format]?.(bytes) ?? { animated: false, alpha: false }) };
}

/** Width and height after the orientation that a camera noted. */
function sizeIn(bytes: Buffer): Pick<MediaFacts, 'width' | 'height'> {
  try {
    const { width, height, orientation = 1 } = imageSize(bytes);
    if (!(width > 0 && height > 0)) return { width: null, height: null };
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  } catch {
    return { width: null, height: null };
  }
}

type Frames = Pick<MediaFacts, 'animated' | 'alpha'>;

const FRAMES: Readonly<Partial<Record<MediaFormat, (bytes: Buffer) => Frames>>> = {
  GIF: gifFrames,
  PNG: pngFrames,
  WebP: webpFrames,
};

function gifFrames(bytes: Buffer): Frames {
  const { pictures, loops, ended } = walkGif(bytes);
  // A first frame may be longer than the bytes at hand; one that says how often it is repeated is no still.
  if (pictures > 1 || loops) return { animated: true, alpha: null };
  return { animated: ended ? false : null, alpha: null };
}

/** Whether a whole GIF comes to its end. */
export const endsGif = (whole: Buffer) => walkGif(whole).ended;

/** Passes over the blocks (GIF89a specification, 12 to 27), as far as the bytes go. */
function walkGif(bytes: Buffer): { pictures: number; loops: boolean; ended: boolean } {
  let at = 13 + colourTable(bytes[10] ?? 0);
  let pictures = 0;
  let loops = false;
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === 0x3b) return { pictures, loops, ended: true };
    if (kind === 0x2c) {
      pictures += 1;
      at = afterBlocks(bytes, at + 11 + colourTable(bytes[at + 9] ?? 0));
    } else if (kind === 0x21) {
      loops ||= bytes.toString('latin1', at + 3, at + 14) === 'NETSCAPE2.0';
      at = afterBlocks(bytes, at + 2);
    } else break;
  }
  return { pictures, loops, ended: false };
}

const colourTable = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** Passes over blocks that each begin with their length, up to the empty one. */
function afterBlocks(bytes: Buffer, start: number): number {
  let at = start;
  for (let length = bytes[at]; length !== undefined && length > 0; length = bytes[at]) at += length + 1;
  return at + 1;
}

/** What stands before the pixels (PNG specification, 11.2 and 11.3; `acTL` makes it an APNG). */
function pngFrames(bytes: Buffer): Frames {
  const found: Frames = { animated: false, alpha: (bytes[25] ?? 0) >= 4 };
  for (let at = 8; at + 12 <= bytes.length;) {
    const name = bytes.toString('latin1', at + 4, at + 8);
    if (name === 'IDAT') return found;
    if (name === 'acTL') found.animated = bytes.readUInt32BE(at + 8) > 1;
    if (name === 'tRNS') found.alpha = true;
    at += 12 + bytes.readUInt32BE(at);
  }
  return { animated: found.animated || null, alpha: found.alpha || null };
}

/** The flags of the container's extended header, or the lossless stream's own (RFC 9649, 2.7 and 3.4). */
function webpFrames(bytes: Buffer): Frames {
  const kind = bytes.toString('latin1', 12, 16);
  const flags = bytes[20] ?? 0;
  if (kind === 'VP8X') return { animated: (flags & 0x02) !== 0, alpha: (flags & 0x10) !== 0 };
  return { animated: false, alpha: kind === 'VP8L' && ((bytes[24] ?? 0) & 0x10) !== 0 };
}
