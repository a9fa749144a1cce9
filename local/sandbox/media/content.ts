import { splitPdf } from './document.ts';

/** A piece of a file: bytes, one repeated byte, or bytes that are made when they are read. The latter take no memory. */
export type Piece =
  | Buffer
  | { fill: number; size: number }
  | { size: number; read: (start: number, end: number) => Uint8Array };

export type Format = 'image' | 'isobmff' | 'webm' | 'pdf' | 'text';

const CHUNK = 64 * 1024;
const NEWLINE = 0x0a;

/** Pads a file of each format so that it stays valid. */
const PADDING: Readonly<Record<Format, (bytes: Buffer, extra: number) => Piece[]>> = {
  image: (bytes, extra) => [bytes, { fill: 0, size: extra }],
  isobmff: (bytes, extra) => [bytes, ...framed(freeBox(extra), extra)],
  webm: (bytes, extra) => [bytes, ...framed(voidElement(extra), extra)],
  pdf: (bytes, extra) => {
    const { head, tail } = splitPdf(bytes, extra);
    return [head, { fill: NEWLINE, size: extra }, tail];
  },
  text: (bytes, extra) => [bytes, { fill: NEWLINE, size: extra }],
};

/** Returns the file padded or truncated to `size` bytes. A truncated file is invalid. */
export function resized(bytes: Buffer, format: Format, size: number): Piece[] {
  return size < bytes.length ? [bytes.subarray(0, size)] : PADDING[format](bytes, size - bytes.length);
}

export function sizeOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);
}

/** Yields the bytes from `start` up to but excluding `end` in chunks. */
export function* chunks(pieces: readonly Piece[], start: number, end: number): Generator<Uint8Array> {
  let offset = 0;
  for (const piece of pieces) {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, lengthOf(piece));
    for (let at = from; at < to; at += CHUNK) yield slice(piece, at, Math.min(at + CHUNK, to));
    offset += lengthOf(piece);
  }
}

function slice(piece: Piece, from: number, to: number): Uint8Array {
  if (Buffer.isBuffer(piece)) return piece.subarray(from, to);
  return 'read' in piece ? piece.read(from, to) : new Uint8Array(to - from).fill(piece.fill);
}

function lengthOf(piece: Piece): number {
  return Buffer.isBuffer(piece) ? piece.length : piece.size;
}

/** The header followed by zeros; zeros only if there is no room for the header. */
function framed(header: Buffer, extra: number): Piece[] {
  if (extra < header.length) return [{ fill: 0, size: extra }];
  return [header, { fill: 0, size: extra - header.length }];
}

/** A box that players ignore (ISO/IEC 14496-12, 8.1.2), with a 64-bit size. */
function freeBox(size: number): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(1, 0);
  header.write('free', 4);
  header.writeBigUInt64BE(BigInt(size), 8);
  return header;
}

/** An EBML element that players ignore (RFC 8794, 11.3.2), with an 8-byte size. */
function voidElement(size: number): Buffer {
  const header = Buffer.alloc(9);
  header.writeBigUInt64BE((1n << 56n) | BigInt(Math.max(size - header.length, 0)), 1);
  header[0] = 0xec;
  return header;
}
