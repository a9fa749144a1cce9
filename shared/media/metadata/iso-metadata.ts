import type { SizedFile } from '../probe/file-access.ts';

/*
 * What a camera writes into an MP4 or QuickTime file beside picture and sound: where, when and with which device it was
 * recorded. Such boxes become free space of the same size, so that no other byte moves: everything that the index refers
 * to stays where it is, and a file of any size can be changed while it is read.
 */

/** A box whose content is blanked: from `start` to `end`, the first `header` bytes being its size and type. */
export interface BlankBox {
  start: number;
  header: number;
  end: number;
}

interface Box extends BlankBox {
  type: string;
}

/** A file has a handful of top-level boxes. A fragmented one has thousands: its index comes first. */
const MAX_BOXES = 64;

/** User data (`©xyz`, `loci`, maker notes) and metadata (`com.apple.quicktime.location.ISO6709`): no player needs them. */
const METADATA: ReadonlySet<string> = new Set(['udta', 'meta']);
/** The type of a `uuid` box that contains XMP. */
const XMP = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
const TYPE = Buffer.from('free');

/** Returns the boxes with camera metadata in ascending order. Throws what reading the file throws. */
export async function findIsoMetadata(file: SizedFile): Promise<BlankBox[]> {
  const found: BlankBox[] = [];
  for (const box of await topLevelBoxes(file)) {
    if (box.type === 'meta' || (await isXmp(file, box))) found.push(box);
    else if (box.type === 'moov') found.push(...(await ofIndex(file, box)));
  }
  return found;
}

async function topLevelBoxes(file: SizedFile): Promise<Box[]> {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= file.size && boxes.length < MAX_BOXES;) {
    const box = boxAt(Buffer.from(await file.read(at, Math.min(at + 16, file.size))), 0, at, file.size);
    if (!box) break;
    boxes.push(box);
    at = box.end;
  }
  return boxes;
}

async function isXmp(file: SizedFile, { type, start, header }: Box): Promise<boolean> {
  if (type !== 'uuid') return false;
  return Buffer.from(await file.read(start + header, start + header + XMP.length)).equals(XMP);
}

async function ofIndex(file: SizedFile, { start, header, end }: Box): Promise<BlankBox[]> {
  const content = Buffer.from(await file.read(start + header, end));
  const boxes = childrenOf(content, start + header);
  const tracks = boxes.filter(({ type }) => type === 'trak');
  const inTracks = tracks.flatMap(track => {
    const from = track.start + track.header - start - header;
    return childrenOf(content.subarray(from, track.end - start - header), track.start + track.header);
  });
  return [...boxes, ...inTracks].filter(({ type }) => METADATA.has(type)).sort((a, b) => a.start - b.start);
}

/** Returns the boxes of a container's content, which begins at `offset` in the file. */
function childrenOf(content: Buffer, offset: number): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= content.length;) {
    const box = boxAt(content, at, offset + at, offset + content.length);
    if (!box) break;
    boxes.push(box);
    at = box.end - offset;
  }
  return boxes;
}

/** Reads a box header (ISO/IEC 14496-12, 4.2) at `at` of the bytes, `start` in the file; null where it is impossible. */
function boxAt(bytes: Buffer, at: number, start: number, limit: number): Box | null {
  if (at + 8 > bytes.length) return null;
  const declared = bytes.readUInt32BE(at);
  const isLong = declared === 1;
  if (isLong && at + 16 > bytes.length) return null;
  const header = isLong ? 16 : 8;
  const length = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : declared;
  const end = length === 0 ? limit : start + length;
  if (end < start + header || end > limit) return null;
  return { type: bytes.toString('latin1', at + 4, at + 8), start, header, end };
}

/** Returns a piece of the file, which begins at `offset`, with the boxes as free space and their content as zeros. */
export function blank(piece: Buffer, offset: number, boxes: readonly BlankBox[]): Buffer {
  const touched = boxes.filter(({ start, end }) => start < offset + piece.length && end > offset);
  if (touched.length === 0) return piece;
  const changed = Buffer.from(piece);
  for (const { start, header, end } of touched) {
    for (const [index, byte] of TYPE.entries()) {
      const at = start + 4 + index - offset;
      if (at >= 0 && at < changed.length) changed[at] = byte;
    }
    changed.fill(
      0,
      Math.max(0, start + header - offset),
      Math.max(0, Math.min(end - offset, changed.length)),
    );
  }
  return changed;
}
