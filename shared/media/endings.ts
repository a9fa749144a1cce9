import type { MediaFormat } from '../model/media.ts';
import { anyPart, ReadBudgetExceeded, type Whole } from './access.ts';
import {
  asfEnding,
  boxEnding,
  brokenOff,
  flvEnding,
  numberAt,
  riffEnding,
  segmentEnding,
} from './clip-endings.ts';
import { endsGif } from './picture-facts.ts';

type Ending = (file: Whole) => Promise<string | null>;

/** How each format shows that a file has come to its end. */
const ENDINGS: Readonly<Record<MediaFormat, Ending>> = {
  JPG: jpegEnding,
  PNG: file => marked(file, Buffer.from('IEND')),
  GIF: gifEnding,
  WebP: riffEnding,
  BMP: bmpEnding,
  MP4: boxEnding,
  MOV: boxEnding,
  '3GP': boxEnding,
  WebM: segmentEnding,
  MKV: segmentEnding,
  AVI: riffEnding,
  WMV: asfEnding,
  FLV: flvEnding,
  PDF: pdfEnding,
};

/**
 * Says how a file breaks off although its own account of itself goes on; null where nothing shows it. What cannot be
 * told for sure, or would take too much reading, counts as whole.
 */
export async function cutOff(format: MediaFormat, file: Whole): Promise<string | null> {
  try {
    return await ENDINGS[format](file);
  } catch (error) {
    if (error instanceof ReadBudgetExceeded) return null;
    throw error;
  }
}

/** What marks the end of a file lies this close to it, nearly always. */
const TAIL_BYTES = 64 * 1024;
const NO_END = 'it breaks off: nothing marks its end';

/** Cameras and tools may put something behind a picture's end, even something long (a clip, another picture). */
async function marked(file: Whole, mark: Buffer, begin = 0): Promise<string | null> {
  const has = (part: Buffer) => part.includes(mark);
  return (await anyPart(file, tailOf(file, begin), has)) || (await anyPart(file, begin, has)) ? null : NO_END;
}

const tailOf = ({ size }: Whole, begin = 0) => Math.max(begin, size - TAIL_BYTES);

async function pdfEnding(file: Whole): Promise<string | null> {
  return (await anyPart(file, tailOf(file), part => part.includes('%%EOF'))) ? null : NO_END;
}

/** Before the picture itself, a camera may have put a small one with an end of its own. */
async function jpegEnding(file: Whole): Promise<string | null> {
  return marked(file, Buffer.from([0xff, 0xd9]), await scanStart(file));
}

const MAX_SEGMENTS = 1000;

/** Where the picture of a JPEG begins. */
async function scanStart(file: Whole): Promise<number> {
  let at = 2;
  for (let segment = 0; segment < MAX_SEGMENTS && at < file.size; segment += 1) {
    const head = Buffer.from(await file.read(at, at + 4));
    if (head.byteLength < 4 || head[0] !== 0xff) return at;
    if (head[1] === 0xda) return at + 2;
    at += 2 + head.readUInt16BE(2);
  }
  return Math.min(at, file.size);
}

/** Most bytes of a GIF that are gone through block by block. */
const WALKED_BYTES = 64 * 1024;
const GIF_TAIL_BYTES = 512;

/** The two bytes at the end of a GIF are found anywhere in a picture, so that they count at its end only. */
async function gifEnding(file: Whole): Promise<string | null> {
  if (file.size <= WALKED_BYTES) return endsGif(Buffer.from(await file.read(0, file.size))) ? null : NO_END;
  const tail = Buffer.from(await file.read(file.size - GIF_TAIL_BYTES, file.size));
  return tail.includes(Buffer.from([0x00, 0x3b])) ? null : NO_END;
}

async function bmpEnding(file: Whole): Promise<string | null> {
  const told = await numberAt(file, 2);
  return file.size < told ? brokenOff(file.size, told) : null;
}
