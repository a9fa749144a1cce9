import { soundBytes, type PictureFormat } from './format.ts';

/*
 * A tick whose picture is sent as it is in its file: the length of the picture (4 bytes), its offset (2) and whether it is a
 * key frame (1), the encoded picture, and exactly its share of decoded sound. Ticks follow each other in the order of
 * decoding.
 */

export interface CopiedTick {
  picture: Buffer;
  /** How many ticks after its own the picture is shown; negative for an earlier one. */
  offset: number;
  is_key: boolean;
  sound: Buffer;
}

export const COPIED_HEADER_BYTES = 7;
/** Larger pictures are not copied. */
export const MAX_PICTURE_BYTES = 4 * 1024 ** 2;

/** Returns the parts of a tick, in their order. */
export function copiedTickParts({ picture, offset, is_key, sound }: CopiedTick): [Buffer, Buffer, Buffer] {
  const header = Buffer.alloc(COPIED_HEADER_BYTES);
  header.writeUInt32BE(picture.length);
  header.writeInt16BE(offset, 4);
  header.writeUInt8(Number(is_key), 6);
  return [header, picture, sound];
}

/** Returns the length of a tick in bytes, which its header tells. */
export const copiedTickBytes = (header: Buffer, format: PictureFormat) =>
  COPIED_HEADER_BYTES + header.readUInt32BE(0) + soundBytes(format);

export function readCopiedTick(tick: Buffer): CopiedTick {
  const end = COPIED_HEADER_BYTES + tick.readUInt32BE(0);
  return {
    picture: tick.subarray(COPIED_HEADER_BYTES, end),
    offset: tick.readInt16BE(4),
    is_key: tick.readUInt8(6) === 1,
    sound: tick.subarray(end),
  };
}
