import { crc32 } from 'node:zlib';
import { orientationOnly } from './orientation.ts';

const SIGNATURE_BYTES = 8;
const CHUNK_OVERHEAD = 12;

/** Ancillary chunks that change how an image looks: transparency, colour, size of pixels, animation. */
const KEPT: ReadonlySet<string> = new Set([
  'tRNS',
  'cHRM',
  'gAMA',
  'iCCP',
  'sBIT',
  'sRGB',
  'cICP',
  'mDCV',
  'cLLI',
  'bKGD',
  'hIST',
  'pHYs',
  'sPLT',
  'acTL',
  'fcTL',
  'fdAT',
]);

/**
 * Returns a PNG (PNG specification, 5.3 and 11) without texts, times, private chunks, and what follows its end. Null where
 * its chunks cannot be followed.
 */
export function withoutPngMetadata(bytes: Buffer): Buffer[] | null {
  const pieces = [bytes.subarray(0, SIGNATURE_BYTES)];
  for (let at = SIGNATURE_BYTES; at + CHUNK_OVERHEAD <= bytes.length;) {
    const name = bytes.toString('latin1', at + 4, at + 8);
    const end = at + CHUNK_OVERHEAD + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    if (name === 'eXIf') pieces.push(...exifChunk(bytes.subarray(at + 8, end - 4)));
    else if (isCritical(name) || KEPT.has(name)) pieces.push(bytes.subarray(at, end));
    if (name === 'IEND') return pieces;
    at = end;
  }
  return null;
}

/** The first letter of a chunk without which an image cannot be decoded is upper case. */
const isCritical = (name: string) => /^[A-Z]/.test(name);

function exifChunk(tiff: Buffer): Buffer[] {
  const exif = orientationOnly(tiff);
  if (!exif) return [];
  const body = Buffer.concat([Buffer.from('eXIf', 'latin1'), exif]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(exif.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return [length, body, checksum];
}
