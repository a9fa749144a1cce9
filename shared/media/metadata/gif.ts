const HEADER_BYTES = 13;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const COMMENT = 0xfe;
const APPLICATION = 0xff;
const APPLICATION_BYTES = 11;

/** Application extensions that change how a GIF looks: its repetitions and its colour profile. */
const KEPT: ReadonlySet<string> = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

/**
 * Returns a GIF (GIF89a specification, sections 15 to 27) without comments, XMP, and what follows its end. Null where its
 * blocks cannot be followed.
 */
export function withoutGifMetadata(bytes: Buffer): Buffer[] | null {
  let at = HEADER_BYTES + colourTableBytes(bytes[10] ?? 0);
  const pieces = [bytes.subarray(0, at)];
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === TRAILER) return [...pieces, bytes.subarray(at, at + 1)];
    if (kind !== EXTENSION && kind !== IMAGE) return null;
    const start = kind === IMAGE ? at + 11 + colourTableBytes(bytes[at + 9] ?? 0) : at + 2;
    const block = bytes.subarray(at, afterSubBlocks(bytes, start));
    if (kind === IMAGE || !isMetadata(block)) pieces.push(block);
    at += block.length;
  }
  return null;
}

const colourTableBytes = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** Returns the offset after a chain of sub-blocks, each prefixed by its length and ended by an empty one. */
function afterSubBlocks(bytes: Buffer, start: number): number {
  let at = start;
  for (let length = bytes[at]; length !== undefined && length > 0; length = bytes[at]) at += length + 1;
  return at + 1;
}

function isMetadata(extension: Buffer): boolean {
  if (extension[1] === COMMENT) return true;
  return extension[1] === APPLICATION && !KEPT.has(extension.toString('latin1', 3, 3 + APPLICATION_BYTES));
}
