import type { MediaFacts, MediaFormat } from '../../model/media.ts';
import { BudgetExceeded } from './budget.ts';
import { createByteReader, type ByteReader } from './byte-reader.ts';
import type { SizedFile } from './file-access.ts';

export interface FrameCount {
  /** Frames that were found. */
  frames: number;
  /** Whether the end of the image was reached; null where the budget ended first. */
  ended: boolean | null;
}

/**
 * Counts the frames of a format that does not declare their number; null for any other. `isWhole`: false for the beginning of
 * a file whose size is not known, of which the frames are counted only where its own end is reached.
 */
export async function countFrames(
  format: MediaFormat,
  file: SizedFile,
  isWhole: boolean,
): Promise<Pick<MediaFacts, 'animated' | 'frames'> | null> {
  if (format !== 'GIF' && format !== 'WebP') return null;
  const { frames, ended } = await (format === 'GIF' ? walkGif(file) : walkWebp(file));
  const isCounted = isWhole ? ended !== null : ended === true;
  return { animated: frames > 1 ? true : isCounted ? false : null, frames: isCounted ? frames : null };
}

const GIF_HEADER_BYTES = 13;
const GIF_EXTENSION = 0x21;
const GIF_IMAGE = 0x2c;
const GIF_TRAILER = 0x3b;

/** Follows the blocks of a GIF (GIF89a specification, sections 12 to 27) up to its trailer or the end of the file. */
export function walkGif(file: SizedFile): Promise<FrameCount> {
  return withinBudget(async count => {
    const byteAt = createByteReader(file);
    let at = GIF_HEADER_BYTES + colourTableBytes((await byteAt(10)) ?? 0);
    for (;;) {
      const kind = await byteAt(at);
      if (kind === GIF_IMAGE) {
        count();
        at = await afterSubBlocks(byteAt, at + 11 + colourTableBytes((await byteAt(at + 9)) ?? 0));
      } else if (kind === GIF_EXTENSION) at = await afterSubBlocks(byteAt, at + 2);
      else return kind === GIF_TRAILER;
    }
  });
}

const colourTableBytes = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** Returns the offset after a chain of sub-blocks, each prefixed by its length and ended by an empty one. */
async function afterSubBlocks(byteAt: ByteReader, start: number): Promise<number> {
  let at = start;
  for (;;) {
    const next = byteAt(at);
    const length = next instanceof Promise ? await next : next;
    if (length === undefined || length === 0) return at + 1;
    at += length + 1;
  }
}

const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;

/** Counts the frames of an animated WebP (RFC 9649, 2.7.1.1). A still one has a single frame that is no `ANMF` chunk. */
function walkWebp(file: SizedFile): Promise<FrameCount> {
  return withinBudget(async count => {
    const end = CHUNK_HEADER_BYTES + Buffer.from(await file.read(0, CHUNK_HEADER_BYTES)).readUInt32LE(4);
    let at = RIFF_HEADER_BYTES;
    while (at + CHUNK_HEADER_BYTES <= Math.min(end, file.size)) {
      const header = Buffer.from(await file.read(at, at + CHUNK_HEADER_BYTES));
      if (header.byteLength < CHUNK_HEADER_BYTES) return false;
      const name = header.toString('latin1', 0, 4);
      if (name === 'ANMF' || name === 'VP8 ' || name === 'VP8L') count();
      const size = header.readUInt32LE(4);
      at += CHUNK_HEADER_BYTES + size + (size % 2);
    }
    return at >= end;
  });
}

async function withinBudget(walk: (count: () => void) => Promise<boolean>): Promise<FrameCount> {
  let frames = 0;
  try {
    const ended = await walk(() => (frames += 1));
    return { frames, ended };
  } catch (error) {
    if (error instanceof BudgetExceeded) return { frames, ended: null };
    throw error;
  }
}
