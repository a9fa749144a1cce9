import type { MediaFormat } from '../../model/media.ts';
import { hasMarker, type SizedFile } from '../probe/file-access.ts';
import { walkGif } from '../probe/frames.ts';
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
  PNG: pngTruncation,
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
 * Returns how a file is truncated, judging by its own structure; null where nothing shows that it is. Some formats have
 * to be read as a whole. Throws what reading the file throws.
 */
export function findTruncation(format: MediaFormat, file: SizedFile): Promise<string | null> {
  return TRUNCATION_CHECKS[format](file);
}

/** The end marker is nearly always this close to the end of the file. */
const TAIL_BYTES = 64 * 1024;
const NO_END_MARKER = 'it is cut off: its end marker is missing';

const tailOf = ({ size }: SizedFile, begin = 0) => Math.max(begin, size - TAIL_BYTES);

async function pdfTruncation(file: SizedFile): Promise<string | null> {
  return (await hasMarker(file, tailOf(file), Buffer.from('%%EOF'))) ? null : NO_END_MARKER;
}

const JPEG_END = Buffer.from([0xff, 0xd9]);

/**
 * Searches the end marker from the scan on: a thumbnail in the metadata before it has one of its own. Cameras append
 * something even long to the image, such as a video, so the whole file counts.
 */
async function jpegTruncation(file: SizedFile): Promise<string | null> {
  const begin = await scanStart(file);
  const isComplete =
    (await hasMarker(file, tailOf(file, begin), JPEG_END)) || (await hasMarker(file, begin, JPEG_END));
  return isComplete ? null : NO_END_MARKER;
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

const PNG_END = Buffer.from('IEND');
const PNG_SIGNATURE_BYTES = 8;
const PNG_CHUNK_OVERHEAD = 12;

/** Follows the chunks up to `IEND` (PNG specification, 5.3), unless the end of the file shows it. */
async function pngTruncation(file: SizedFile): Promise<string | null> {
  const tail = Buffer.from(await file.read(Math.max(0, file.size - PNG_CHUNK_OVERHEAD), file.size));
  if (tail.subarray(4, 8).equals(PNG_END)) return null;
  for (let at = PNG_SIGNATURE_BYTES; at + PNG_CHUNK_OVERHEAD <= file.size;) {
    const head = Buffer.from(await file.read(at, at + 8));
    if (head.byteLength < 8) break;
    at += head.readUInt32BE(0) + PNG_CHUNK_OVERHEAD;
    if (at > file.size) return truncatedAt(file.size, at);
    if (head.subarray(4, 8).equals(PNG_END)) return null;
  }
  return NO_END_MARKER;
}

/** Follows the blocks up to the trailer, unless the end of the file shows it: the two bytes occur anywhere else. */
async function gifTruncation(file: SizedFile): Promise<string | null> {
  const tail = Buffer.from(await file.read(Math.max(0, file.size - 2), file.size));
  if (tail.equals(Buffer.from([0x00, 0x3b]))) return null;
  return (await walkGif(file)).ended === false ? NO_END_MARKER : null;
}

async function bmpTruncation(file: SizedFile): Promise<string | null> {
  const declared = await readUint32LE(file, 2);
  return file.size < declared ? truncatedAt(file.size, declared) : null;
}
