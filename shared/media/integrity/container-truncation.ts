import type { SizedFile } from '../probe/file-access.ts';

/*
 * Checks of audio and video containers: each returns how the file is truncated, judging by the sizes that its own
 * structure declares, or null where nothing shows that it is.
 */

/** A file has a handful of top-level boxes. A fragmented one has thousands and is complete after each of them. */
const MAX_BOXES = 32;

const NO_INDEX = 'it has no index (moov)';

/** Follows the top-level boxes (ISO/IEC 14496-12, 4.2). Without `moov` nothing can be played. */
export async function isoMediaTruncation(file: SizedFile): Promise<string | null> {
  const { size } = file;
  let hasIndex = false;
  let at = 0;
  for (let boxes = 0; at + 8 <= size; boxes += 1) {
    if (boxes === MAX_BOXES) return null;
    const header = Buffer.from(await file.read(at, at + 16));
    if (header.length < 8) return null;
    hasIndex ||= header.toString('latin1', 4, 8) === 'moov';
    const length = boxLength(header);
    if (length === 0) return hasIndex ? null : NO_INDEX;
    if (length < 8) return 'one of its boxes declares an impossible size';
    at += length;
    if (at > size) return truncatedAt(size, at);
  }
  return hasIndex ? null : NO_INDEX;
}

function boxLength(header: Buffer): number {
  const length = header.readUInt32BE(0);
  return length === 1 && header.length >= 16 ? Number(header.readBigUInt64BE(8)) : length;
}

const SEGMENT_ID = Buffer.from([0x18, 0x53, 0x80, 0x67]);

/** Compares the size of the Segment, which contains everything after the header (RFC 9559, 4.5). It may be unknown. */
export async function matroskaTruncation(file: SizedFile): Promise<string | null> {
  const head = Buffer.from(await file.read(0, 4096));
  const start = head.indexOf(SEGMENT_ID);
  if (start === -1) return null;
  const length = readVint(head, start + SEGMENT_ID.length);
  if (length === null) return null;
  const end = start + SEGMENT_ID.length + length.bytes + length.value;
  return end > file.size ? truncatedAt(file.size, end) : null;
}

/** Reads a variable-size integer of EBML (RFC 8794, 4); null where it says "unknown". */
function readVint(bytes: Buffer, at: number): { value: number; bytes: number } | null {
  const first = bytes[at] ?? 0;
  const count = Math.clz32(first) - 23;
  if (count > 8 || at + count > bytes.length) return null;
  const raw = bytes.subarray(at, at + count);
  const value = raw.reduce((sum, byte) => sum * 256 + byte, 0) - first * 256 ** (count - 1);
  const top = first - 2 ** (8 - count);
  const isUnknown = top === 2 ** (8 - count) - 1 && raw.subarray(1).every(byte => byte === 0xff);
  return isUnknown ? null : { value: value + top * 256 ** (count - 1), bytes: count };
}

const ASF_FILE_PROPERTIES = Buffer.from('a1dcab8c47a9cf118ee400c00c205365', 'hex');

/** Compares the file size in the ASF file properties, which is meaningless in a broadcast. */
export async function asfTruncation(file: SizedFile): Promise<string | null> {
  const head = Buffer.from(await file.read(0, 4096));
  const properties = head.indexOf(ASF_FILE_PROPERTIES);
  if (properties === -1 || head.byteLength < properties + 92) return null;
  const isBroadcast = (head.readUInt32LE(properties + 88) & 1) === 1;
  const declared = Number(head.readBigUInt64LE(properties + 40));
  return !isBroadcast && declared > file.size ? truncatedAt(file.size, declared) : null;
}

const FLV_TAG_HEADER_BYTES = 11;

/** Finds the last tag by the size behind it, the last four bytes of the file (FLV version 10, annex E.3). */
export async function flvTruncation(file: SizedFile): Promise<string | null> {
  const { size } = file;
  const back = Buffer.from(await file.read(size - 4, size));
  const length = back.byteLength === 4 ? back.readUInt32BE(0) : 0;
  const start = Math.max(0, size - 4 - length);
  const tag = Buffer.from(await file.read(start, start + FLV_TAG_HEADER_BYTES));
  const isComplete =
    tag.byteLength === FLV_TAG_HEADER_BYTES && FLV_TAG_HEADER_BYTES + tag.readUIntBE(1, 3) === length;
  return isComplete ? null : 'its last tag is incomplete';
}

/** Compares the size in the RIFF header (AVI, WebP). */
export async function riffTruncation(file: SizedFile): Promise<string | null> {
  const declared = 8 + (await readUint32LE(file, 4));
  return file.size < declared ? truncatedAt(file.size, declared) : null;
}

/** Reads a little-endian integer; 0 beyond the end of the file. */
export async function readUint32LE({ read }: SizedFile, at: number): Promise<number> {
  const found = Buffer.from(await read(at, at + 4));
  return found.byteLength < 4 ? 0 : found.readUInt32LE(0);
}

export const truncatedAt = (size: number, declared: number) =>
  `it is cut off after ${size} of ${declared} bytes`;
