import type { Whole } from './access.ts';

/*
 * Where a clip breaks off although its own account of itself goes on, in words; null where nothing shows it.
 */

/** A file has a handful of boxes; one in fragments has thousands, and is looked at no further. */
const MAX_BOXES = 32;

/** Each box says how long it is (ISO/IEC 14496-12, 4.2); `moov` is the one without which nothing can be played. */
export async function boxEnding(file: Whole): Promise<string | null> {
  const { size } = file;
  let hasIndex = false;
  let at = 0;
  for (let boxes = 0; at + 8 <= size; boxes += 1) {
    if (boxes === MAX_BOXES) return null;
    const header = Buffer.from(await file.read(at, at + 16));
    if (header.length < 8) return null;
    hasIndex ||= header.toString('latin1', 4, 8) === 'moov';
    const length = boxLength(header);
    if (length === 0) return hasIndex ? null : 'it has no index (moov)';
    if (length < 8) return 'its index makes no sense';
    at += length;
    if (at > size) return brokenOff(size, at);
  }
  return hasIndex ? null : 'it has no index (moov)';
}

function boxLength(header: Buffer): number {
  const short = header.readUInt32BE(0);
  return short === 1 && header.length >= 16 ? Number(header.readBigUInt64BE(8)) : short;
}

/** The one element that holds all others, after the header (RFC 9559, 4.5). Its length may be left open. */
export async function segmentEnding(file: Whole): Promise<string | null> {
  const head = Buffer.from(await file.read(0, 4096));
  const start = head.indexOf(Buffer.from([0x18, 0x53, 0x80, 0x67]));
  if (start === -1) return null;
  const length = vint(head, start + 4);
  if (length === null) return null;
  const end = start + 4 + length.bytes + length.value;
  return end > file.size ? brokenOff(file.size, end) : null;
}

/** A length of EBML (RFC 8794, 4); null for one that is left open. */
function vint(bytes: Buffer, at: number): { value: number; bytes: number } | null {
  const first = bytes[at] ?? 0;
  const count = Math.clz32(first) - 23;
  if (count > 8 || at + count > bytes.length) return null;
  const raw = bytes.subarray(at, at + count);
  const value = raw.reduce((sum, byte) => sum * 256 + byte, 0) - first * 256 ** (count - 1);
  const top = first - 2 ** (8 - count);
  const isOpen = top === 2 ** (8 - count) - 1 && raw.subarray(1).every(byte => byte === 0xff);
  return isOpen ? null : { value: value + top * 256 ** (count - 1), bytes: count };
}

const ASF_PROPERTIES = Buffer.from('a1dcab8c47a9cf118ee400c00c205365', 'hex');

/** ASF: the file's size stands in its properties, unless it was broadcast. */
export async function asfEnding(file: Whole): Promise<string | null> {
  const head = Buffer.from(await file.read(0, 4096));
  const properties = head.indexOf(ASF_PROPERTIES);
  if (properties === -1 || head.byteLength < properties + 92) return null;
  const isBroadcast = (head.readUInt32LE(properties + 88) & 1) === 1;
  const told = Number(head.readBigUInt64LE(properties + 40));
  return !isBroadcast && told > file.size ? brokenOff(file.size, told) : null;
}

const TAG_HEAD = 11;

/** FLV (version 10, annex E.3): behind each tag stands how long it was, so the last four bytes lead to the last tag. */
export async function flvEnding(file: Whole): Promise<string | null> {
  const { size } = file;
  const back = Buffer.from(await file.read(size - 4, size));
  const length = back.byteLength === 4 ? back.readUInt32BE(0) : 0;
  const start = Math.max(0, size - 4 - length);
  const tag = Buffer.from(await file.read(start, start + TAG_HEAD));
  const isTag = tag.byteLength === TAG_HEAD && TAG_HEAD + tag.readUIntBE(1, 3) === length;
  return isTag ? null : 'its last tag is not complete';
}

/** RIFF says in its first chunk how long the file is. */
export async function riffEnding(file: Whole): Promise<string | null> {
  const told = 8 + (await numberAt(file, 4));
  return file.size < told ? brokenOff(file.size, told) : null;
}

/** Four bytes, the lowest first; 0 where there are none. */
export async function numberAt({ read }: Whole, at: number): Promise<number> {
  const found = Buffer.from(await read(at, at + 4));
  return found.byteLength < 4 ? 0 : found.readUInt32LE(0);
}

export const brokenOff = (size: number, told: number) => `it breaks off after ${size} of ${told} bytes`;
