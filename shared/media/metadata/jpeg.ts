import { orientationOnly } from './orientation.ts';

const MARKER = 0xff;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
const COMMENT = 0xfe;
const EXIF_MARKER = 0xe1;
const EXIF = Buffer.from('Exif\0\0', 'latin1');

/** Application segments that decoders need: the JFIF header, the colour profile, and Adobe's colour transform. */
const KEPT: ReadonlyMap<number, string> = new Map([
  [0xe0, 'JFIF\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xee, 'Adobe'],
]);

/**
 * Returns a JPEG (ITU-T T.81, annex B) without comments and application segments, up to the end of its first image:
 * phones append previews and videos that have metadata of their own. Null where its segments cannot be followed.
 */
export function withoutJpegMetadata(bytes: Buffer): Buffer[] | null {
  const pieces = [bytes.subarray(0, 2)];
  let at = 2;
  for (;;) {
    at = nextMarker(bytes, at);
    const kind = bytes[at + 1];
    if (at === -1 || kind === undefined) return null;
    const end = isAlone(kind) ? at + 2 : segmentEnd(bytes, at);
    if (end === null) return null;
    pieces.push(...keptOf(kind, bytes.subarray(at, end)));
    if (kind === END_OF_IMAGE) return pieces;
    at = end;
    if (kind === START_OF_SCAN) {
      const next = scanEnd(bytes, end);
      if (next === -1) return null;
      pieces.push(bytes.subarray(end, next));
      at = next;
    }
  }
}

/** Returns the offset of the next marker. Decoders skip what is between two segments, and fill bytes. */
function nextMarker(bytes: Buffer, start: number): number {
  let at = bytes.indexOf(MARKER, start);
  while (at !== -1 && (bytes[at + 1] === MARKER || bytes[at + 1] === 0)) at = bytes.indexOf(MARKER, at + 1);
  return at;
}

const isRestart = (kind: number) => kind >= 0xd0 && kind <= 0xd7;

/** Markers without a segment. */
const isAlone = (kind: number) => isRestart(kind) || kind === END_OF_IMAGE || kind === 0x01 || kind === 0xd8;

function segmentEnd(bytes: Buffer, at: number): number | null {
  if (at + 4 > bytes.length) return null;
  const end = at + 2 + bytes.readUInt16BE(at + 2);
  return end < at + 4 || end > bytes.length ? null : end;
}

/** Returns the offset of the marker after a scan, whose data contains only stuffed bytes and restarts; -1 for none. */
function scanEnd(bytes: Buffer, start: number): number {
  let at = nextMarker(bytes, start);
  while (at !== -1 && isRestart(bytes[at + 1] ?? 0)) at = nextMarker(bytes, at + 2);
  return at;
}

/** Returns what remains of a segment: all of it, nothing, or the orientation. */
function keptOf(kind: number, segment: Buffer): Buffer[] {
  if (kind === COMMENT) return [];
  if (kind < 0xe0 || kind > 0xef) return [segment];
  const content = segment.subarray(4);
  if (kind === EXIF_MARKER && startsWith(content, EXIF)) return exifSegment(content.subarray(EXIF.length));
  const name = KEPT.get(kind);
  return name !== undefined && startsWith(content, Buffer.from(name, 'latin1')) ? [segment] : [];
}

function exifSegment(tiff: Buffer): Buffer[] {
  const exif = orientationOnly(tiff);
  if (!exif) return [];
  const head = Buffer.from([MARKER, EXIF_MARKER, 0, 2 + EXIF.length + exif.length]);
  return [head, EXIF, exif];
}

const startsWith = (bytes: Buffer, start: Buffer) => bytes.subarray(0, start.length).equals(start);
