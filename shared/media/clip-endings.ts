import type { MediaFormat } from '../model/media.ts';
import type { FileAccess } from './access.ts';

/** A file has a handful of boxes; one in fragments has thousands, and is looked at no further. */
const MAX_BOXES = 32;

/** Says where a clip breaks off although its own account of itself goes on; null where nothing shows it. */
export async function cutOffAt(format: MediaFormat, file: FileAccess): Promise<string | null> {
  const { size } = file;
  if (size === null) return null;
  if (format === 'MP4' || format === 'MOV' || format === '3GP') return cutOffBox(file, size);
  if (format === 'WebM' || format === 'MKV') return cutOffSegment(file, size);
  return null;
}

/** Each box says how long it is (ISO/IEC 14496-12, 4.2); `moov` is the one without which nothing can be played. */
async function cutOffBox(file: FileAccess, size: number): Promise<string | null> {
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
    if (at > size) return cutOff(size, at);
  }
  return hasIndex ? null : 'it has no index (moov)';
}

function boxLength(header: Buffer): number {
  const short = header.readUInt32BE(0);
  return short === 1 && header.length >= 16 ? Number(header.readBigUInt64BE(8)) : short;
}

/** The one element that holds all others, after the header (RFC 9559, 4.5). Its length may be left open. */
async function cutOffSegment(file: FileAccess, size: number): Promise<string | null> {
  const head = Buffer.from(await file.read(0, 4096));
  const start = head.indexOf(Buffer.from([0x18, 0x53, 0x80, 0x67]));
  if (start === -1) return null;
  const length = vint(head, start + 4);
  if (length === null) return null;
  const end = start + 4 + length.bytes + length.value;
  return end > size ? cutOff(size, end) : null;
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

const cutOff = (size: number, wanted: number) => `it breaks off after ${size} of ${wanted} bytes`;
