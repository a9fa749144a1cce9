import { orientationOnly } from './orientation.ts';

const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const HAS_EXIF = 0x08;
const HAS_XMP = 0x04;
const EXIF_PREFIX = Buffer.from('Exif\0\0', 'latin1');

/** Chunks that make up the image (RFC 9649, 2.7). */
const KEPT: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);

/** Returns a WebP without Exif, XMP, unknown chunks, and what follows its end. Null where its chunks cannot be followed. */
export function withoutWebpMetadata(bytes: Buffer): Buffer[] | null {
  if (bytes.length < RIFF_HEADER_BYTES) return null;
  const riffEnd = Math.min(bytes.length, CHUNK_HEADER_BYTES + bytes.readUInt32LE(4));
  const extended: Buffer[] = [];
  const pieces: Buffer[] = [];
  let exif: Buffer | null = null;
  for (let at = RIFF_HEADER_BYTES; at + CHUNK_HEADER_BYTES <= riffEnd;) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const end = at + CHUNK_HEADER_BYTES + size;
    if (end > riffEnd) return null;
    const chunk = bytes.subarray(at, end);
    if (name === 'VP8X') extended.push(Buffer.from(chunk));
    else if (name === 'EXIF') exif = orientationOnly(tiffOf(chunk.subarray(CHUNK_HEADER_BYTES)));
    else if (KEPT.has(name)) pieces.push(chunk, Buffer.alloc(size % 2));
    at = end + (size % 2);
  }
  for (const header of extended) setFlags(header, exif !== null);
  return withHeader([...extended, ...pieces, ...(exif ? exifChunk(exif) : [])]);
}

/** Some programs write the prefix that only JPEG has. */
const tiffOf = (content: Buffer) =>
  content.subarray(0, EXIF_PREFIX.length).equals(EXIF_PREFIX)
    ? content.subarray(EXIF_PREFIX.length)
    : content;

function setFlags(header: Buffer, hasExif: boolean): void {
  const flags = header[CHUNK_HEADER_BYTES] ?? 0;
  header[CHUNK_HEADER_BYTES] = (flags & ~(HAS_XMP | HAS_EXIF)) | (hasExif ? HAS_EXIF : 0);
}

function exifChunk(tiff: Buffer): Buffer[] {
  const head = Buffer.from('EXIF\0\0\0\0', 'latin1');
  head.writeUInt32LE(tiff.length, 4);
  return [head, tiff];
}

function withHeader(chunks: Buffer[]): Buffer[] {
  const header = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  const size = chunks.reduce((sum, { length }) => sum + length, 0);
  header.writeUInt32LE(RIFF_HEADER_BYTES - CHUNK_HEADER_BYTES + size, 4);
  return [header, ...chunks];
}
