import type { MediaFormat } from '../../model/media.ts';
import { someChunk, ReadBudgetExceeded, type SizedFile } from '../probe/file-access.ts';
import { hasGifTrailer } from '../probe/image-header.ts';
import {
  asfTruncation,
  flvTruncation,
  isoMediaTruncation,
  matroskaTruncation,
  readUint32LE,
  riffTruncation,
  truncatedAt,
} from './container-truncation.ts';

type TruncationCheck = (file: SizedFile) => Promise<string | null>;

const TRUNCATION_CHECKS: Readonly<Record<MediaFormat, TruncationCheck>> = {
  JPG: jpegTruncation,
  PNG: file => endMarkerMissing(file, Buffer.from('IEND')),
  GIF: gifTruncation,
  WebP: riffTruncation,
  BMP: bmpTruncation,
  MP4: isoMediaTruncation,
  MOV: isoMediaTruncation,
  '3GP': isoMediaTruncation,
  WebM: matroskaTruncation,
  MKV: matroskaTruncation,
  AVI: riffTruncation,
  WMV: asfTruncation,
  FLV: flvTruncation,
  PDF: pdfTruncation,
};

/**
 * Returns how a file is truncated, judging by its own structure; null where nothing shows that it is, or where telling
 * would exceed the read budget.
 */
export async function findTruncation(format: MediaFormat, file: SizedFile): Promise<string | null> {
  try {
    return await TRUNCATION_CHECKS[format](file);
  } catch (error) {
    if (error instanceof ReadBudgetExceeded) return null;
    throw error;
  }
}

/** The end marker is nearly always this close to the end of the file. */
const TAIL_BYTES = 64 * 1024;
const NO_END_MARKER = 'it is cut off: its end marker is missing';

/**
 * Searches the end of the file, then all of it: cameras and tools append data to an image, even something long such as
 * a video clip or another image.
 */
async function endMarkerMissing(file: SizedFile, marker: Buffer, begin = 0): Promise<string | null> {
  const hasMarker = (chunk: Buffer) => chunk.includes(marker);
  const isPresent =
    (await someChunk(file, tailOf(file, begin), hasMarker)) || (await someChunk(file, begin, hasMarker));
  return isPresent ? null : NO_END_MARKER;
}

const tailOf = ({ size }: SizedFile, begin = 0) => Math.max(begin, size - TAIL_BYTES);

async function pdfTruncation(file: SizedFile): Promise<string | null> {
  return (await someChunk(file, tailOf(file), chunk => chunk.includes('%%EOF'))) ? null : NO_END_MARKER;
}

/** Starts at the scan: a thumbnail in the metadata before it has an end marker of its own. */
async function jpegTruncation(file: SizedFile): Promise<string | null> {
  return endMarkerMissing(file, Buffer.from([0xff, 0xd9]), await scanStart(file));
}

const MAX_SEGMENTS = 1000;

/** Returns the offset of a JPEG's first scan. */
async function scanStart(file: SizedFile): Promise<number> {
  let at = 2;
  for (let segment = 0; segment < MAX_SEGMENTS && at < file.size; segment += 1) {
    const head = Buffer.from(await file.read(at, at + 4));
    if (head.byteLength < 4 || head[0] !== 0xff) return at;
    if (head[1] === 0xda) return at + 2;
    at += 2 + head.readUInt16BE(2);
  }
  return Math.min(at, file.size);
}

/** Larger GIFs are not walked block by block. */
const MAX_WALKED_BYTES = 64 * 1024;
const GIF_TAIL_BYTES = 512;

/** The two bytes of a GIF's end occur anywhere in a picture: they count at its end only. */
async function gifTruncation(file: SizedFile): Promise<string | null> {
  if (file.size <= MAX_WALKED_BYTES)
    return hasGifTrailer(Buffer.from(await file.read(0, file.size))) ? null : NO_END_MARKER;
  const tail = Buffer.from(await file.read(file.size - GIF_TAIL_BYTES, file.size));
  return tail.includes(Buffer.from([0x00, 0x3b])) ? null : NO_END_MARKER;
}

async function bmpTruncation(file: SizedFile): Promise<string | null> {
  const declared = await readUint32LE(file, 2);
  return file.size < declared ? truncatedAt(file.size, declared) : null;
}
