/** Types of RTMP messages. */
export const MESSAGE = {
  set_chunk_size: 1,
  acknowledgement: 3,
  user_control: 4,
  window_size: 5,
  sound: 8,
  video: 9,
  data: 18,
  command: 20,
} as const;

export interface RtmpMessage {
  type: number;
  payload: Buffer;
}

/** Size of the chunks that we send: large enough for nearly every message. */
export const SENT_CHUNK_SIZE = 65_536;
const DEFAULT_CHUNK_SIZE = 128;
/** Of messages from the ingest, which are all short. */
const MAX_MESSAGE = 1024 ** 2;
const EXTENDED = 0xffffff;
/** Bytes of a message header by its format: later messages of a stream leave out what stays the same. */
const HEADER_BYTES = [11, 7, 3, 0] as const;

/** Cuts a message into chunks. `time` in milliseconds; `streamId` 0 for commands of the connection. */
export function encodeMessage(
  { type, payload }: RtmpMessage,
  {
    chunkStream,
    streamId,
    time,
    chunkSize,
  }: { chunkStream: number; streamId: number; time: number; chunkSize: number },
): Buffer {
  const isExtended = time >= EXTENDED;
  const header = Buffer.alloc(12);
  header.writeUInt8(chunkStream, 0);
  header.writeUIntBE(isExtended ? EXTENDED : time, 1, 3);
  header.writeUIntBE(payload.length, 4, 3);
  header.writeUInt8(type, 7);
  header.writeUInt32LE(streamId, 8);
  const extension = Buffer.alloc(isExtended ? 4 : 0);
  if (isExtended) extension.writeUInt32BE(time % 2 ** 32);
  const pieces = [header, extension, payload.subarray(0, chunkSize)];
  for (let at = chunkSize; at < payload.length; at += chunkSize) {
    pieces.push(Buffer.from([0xc0 | chunkStream]), extension, payload.subarray(at, at + chunkSize));
  }
  return Buffer.concat(pieces);
}

interface Header {
  time: number;
  length: number;
  type: number;
  /** What of the message has arrived. */
  pieces: Buffer[];
  received: number;
}

/** Returns a function that takes received bytes, piece by piece, and passes on whole messages. Throws for nonsense. */
export function createMessageReader(onMessage: (message: RtmpMessage) => void): (bytes: Buffer) => void {
  const headers = new Map<number, Header>();
  let chunkSize = DEFAULT_CHUNK_SIZE;
  let rest: Buffer = Buffer.alloc(0);

  /** Takes one chunk from the front of `rest`; false while it is incomplete. */
  function takeChunk(): boolean {
    const basic = readBasicHeader(rest);
    if (!basic) return false;
    let at = basic.length;
    const headerBytes = HEADER_BYTES[basic.format];
    if (rest.length < at + headerBytes) return false;
    const known = headers.get(basic.chunkStream);
    const header = readHeader(rest.subarray(at, at + headerBytes), known);
    at += headerBytes;
    if (header.time === EXTENDED) at += 4;
    const size = Math.min(chunkSize, header.length - header.received);
    if (rest.length < at + size) return false;
    header.pieces.push(rest.subarray(at, at + size));
    header.received += size;
    rest = rest.subarray(at + size);
    headers.set(basic.chunkStream, header);
    if (header.received === header.length) complete(header);
    return true;
  }

  function complete(header: Header): void {
    const message = { type: header.type, payload: Buffer.concat(header.pieces) };
    header.pieces = [];
    header.received = 0;
    if (message.type === MESSAGE.set_chunk_size) chunkSize = Math.max(1, message.payload.readUInt32BE());
    else onMessage(message);
  }

  return bytes => {
    rest = Buffer.concat([rest, bytes]);
    while (takeChunk());
  };
}

function readBasicHeader(
  bytes: Buffer,
): { format: 0 | 1 | 2 | 3; chunkStream: number; length: number } | null {
  const [first, second, third] = bytes;
  if (first === undefined) return null;
  const format = formatOf(first >> 6);
  const id = first & 63;
  if (id > 1) return { format, chunkStream: id, length: 1 };
  if (second === undefined) return null;
  if (id === 0) return { format, chunkStream: 64 + second, length: 2 };
  if (third === undefined) return null;
  return { format, chunkStream: 64 + second + third * 256, length: 3 };
}

const formatOf = (bits: number) => (bits === 0 ? 0 : bits === 1 ? 1 : bits === 2 ? 2 : 3);

/** Does not change `known`: the chunk may still be incomplete. */
function readHeader(bytes: Buffer, known: Header | undefined): Header {
  const previous = known ?? { time: 0, length: 0, type: 0, pieces: [], received: 0 };
  const header = { ...previous, pieces: [...previous.pieces] };
  if (bytes.length >= 3) header.time = bytes.readUIntBE(0, 3);
  if (bytes.length >= 7) {
    header.length = bytes.readUIntBE(3, 3);
    header.type = bytes.readUInt8(6);
  }
  if (header.length > MAX_MESSAGE) throw new Error(`The ingest sent a message of ${header.length} bytes`);
  return header;
}
