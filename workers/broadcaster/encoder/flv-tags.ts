/** One tag of an FLV file: RTMP carries the same types and payloads. */
export interface FlvTag {
  type: 'video' | 'sound' | 'metadata';
  /** Milliseconds from the beginning of the stream. */
  time: number;
  data: Buffer;
  /** A decoder configuration, which a decoder needs before anything else. */
  is_header: boolean;
  /** A picture from which decoding can begin. */
  is_key: boolean;
}

const TYPES: Readonly<Record<number, FlvTag['type']>> = { 8: 'sound', 9: 'video', 18: 'metadata' };
const FILE_HEADER = 13;
const TAG_HEADER = 11;
/** The size of each tag is repeated behind it. */
const TRAILER = 4;

/** Returns a function that takes the bytes of an FLV file, piece by piece, and passes on its tags. */
export function createTagReader(onTag: (tag: FlvTag) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let toSkip = FILE_HEADER;
  return bytes => {
    rest = Buffer.concat([rest, bytes]);
    const skipped = Math.min(toSkip, rest.length);
    toSkip -= skipped;
    rest = rest.subarray(skipped);
    while (rest.length >= TAG_HEADER) {
      const end = TAG_HEADER + rest.readUIntBE(1, 3);
      if (rest.length < end + TRAILER) return;
      const tag = parseTag(rest.subarray(0, end));
      rest = rest.subarray(end + TRAILER);
      if (tag) onTag(tag);
    }
  };
}

function parseTag(bytes: Buffer): FlvTag | null {
  const type = TYPES[bytes.readUInt8(0)];
  if (!type) return null;
  // The muxer reuses its buffer.
  const data = Buffer.from(bytes.subarray(TAG_HEADER));
  const time = bytes.readUIntBE(4, 3) + bytes.readUInt8(7) * 0x1000000;
  const is_header = type !== 'metadata' && data[1] === 0;
  const is_key = type === 'video' && !is_header && (data[0] ?? 0) >> 4 === 1;
  return { type, time, data, is_header, is_key };
}
