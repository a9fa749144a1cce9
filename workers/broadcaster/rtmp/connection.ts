import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { FlvTag } from '../encoder/flv-tags.ts';
import type { IngestTarget } from './address.ts';
import { decodeAmf, encodeAmf, type AmfValue } from './amf.ts';
import { createMessageReader, encodeMessage, MESSAGE, SENT_CHUNK_SIZE, type RtmpMessage } from './chunks.ts';

/** A connection on which the ingest has accepted the stream. */
export interface RtmpConnection {
  /** Sends a tag with a time in milliseconds of this connection. */
  send: (tag: FlvTag, time: number) => void;
  /** Bytes that wait for the network. */
  queued: () => number;
  /** Bytes that the network has taken. */
  sent: () => number;
  /** Resolves when the connection is lost, with the reason. */
  lost: Promise<Error>;
  /** Ends the stream, so that the ingest does not wait for a new connection. */
  end: () => Promise<void>;
  destroy: (reason: Error) => void;
}

const VERSION = 3;
const HANDSHAKE_BYTES = 1536;
const FLASH_VERSION = 'FMLE/3.0 (compatible; social-publishing)';
/** For the connection, the handshake and all commands together. */
const OPEN_MS = 10_000;
const END_MS = 2000;
const PING = 6;
const PONG = 7;
/** Chunk streams of their own, so that no header depends on one of another kind. */
const CHUNK_STREAM = { control: 2, command: 3, sound: 4, metadata: 5, video: 6 } as const;
const TAG_TYPE = { sound: MESSAGE.sound, video: MESSAGE.video, metadata: MESSAGE.data } as const;

/** Connects to the ingest and starts to publish. Throws when it refuses, or takes more than ten seconds. */
export async function openConnection(target: IngestTarget, openMs = OPEN_MS): Promise<RtmpConnection> {
  const socket = connectSocket(target);
  const timer = setTimeout(() => socket.destroy(new Error('The ingest did not answer in time')), openMs);
  let reason = new Error('The ingest closed the connection');
  socket.on('error', error => (reason = error));
  const lost = new Promise<Error>(resolve => socket.once('close', () => resolve(reason)));
  // A rejection, so that whatever is awaited next ends with the connection.
  const failure = lost.then(error => Promise.reject(error));
  failure.catch(() => undefined);
  try {
    const session = createSession(socket);
    await Promise.race([failure, session.open(target)]);
    return {
      send: session.send,
      queued: () => socket.writableLength,
      sent: () => socket.bytesWritten - socket.writableLength,
      lost,
      end: async () => {
        session.close();
        socket.end();
        const late = setTimeout(() => socket.destroy(), END_MS);
        await lost;
        clearTimeout(late);
      },
      destroy: error => void socket.destroy(error),
    };
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function connectSocket({ host, port, isSecure }: IngestTarget): Socket {
  const socket = isSecure ? connectTls({ host, port, servername: host }) : connectTcp({ host, port });
  return socket.setNoDelay(true);
}

function createSession(socket: Socket) {
  const answers = new Map<number, PromiseWithResolvers<AmfValue[]>>();
  const published = Promise.withResolvers<undefined>();
  let transaction = 0;
  let streamId = 0;
  let key = '';
  let window = Number.POSITIVE_INFINITY;
  let received = 0;
  let acknowledged = 0;
  published.promise.catch(() => undefined);

  function write(type: number, payload: Buffer, chunkStream: number, time = 0, stream = 0): void {
    const options = { chunkStream, streamId: stream, time, chunkSize: SENT_CHUNK_SIZE };
    socket.write(encodeMessage({ type, payload }, options));
  }

  const control = (type: number, payload: Buffer) => write(type, payload, CHUNK_STREAM.control);

  /** Sends a command and returns what the ingest answers. Not every ingest answers every command. */
  function command(name: string, ...values: AmfValue[]): Promise<AmfValue[]> {
    transaction += 1;
    const answer = Promise.withResolvers<AmfValue[]>();
    answer.promise.catch(() => undefined);
    answers.set(transaction, answer);
    const stream = name === 'publish' ? streamId : 0;
    write(MESSAGE.command, encodeAmf(name, transaction, ...values), CHUNK_STREAM.command, 0, stream);
    return answer.promise;
  }

  function onMessage({ type, payload }: RtmpMessage): void {
    if (type === MESSAGE.window_size) window = payload.readUInt32BE();
    if (type === MESSAGE.command) onCommand(decodeAmf(payload));
    if (type === MESSAGE.user_control && payload.readUInt16BE() === PING) {
      control(MESSAGE.user_control, Buffer.concat([uint16(PONG), payload.subarray(2)]));
    }
  }

  function onCommand([name, id, ...values]: AmfValue[]): void {
    const answer = typeof id === 'number' ? answers.get(id) : undefined;
    if (name === '_result') answer?.resolve(values);
    if (name === '_error') answer?.reject(refusal(values[1]));
    if (name !== 'onStatus') return;
    if (codeOf(values[1]) === 'NetStream.Publish.Start') published.resolve(undefined);
    else if (memberOf(values[1], 'level') === 'error') {
      published.reject(refusal(values[1]));
      socket.destroy(refusal(values[1]));
    }
  }

  function acknowledge(bytes: Buffer): void {
    received += bytes.length;
    if (received - acknowledged < window) return;
    acknowledged = received;
    control(MESSAGE.acknowledgement, uint32(received % 2 ** 32));
  }

  async function open(target: IngestTarget): Promise<void> {
    key = target.key;
    await once(socket, target.isSecure ? 'secureConnect' : 'connect');
    await shakeHands(socket);
    const read = createMessageReader(onMessage);
    socket.on('data', bytes => {
      try {
        read(bytes);
        acknowledge(bytes);
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
    control(MESSAGE.set_chunk_size, uint32(SENT_CHUNK_SIZE));
    const { app, tcUrl } = target;
    await command('connect', { app, type: 'nonprivate', flashVer: FLASH_VERSION, tcUrl });
    void command('releaseStream', null, key);
    void command('FCPublish', null, key);
    const [, created] = await command('createStream', null);
    streamId = typeof created === 'number' ? created : 1;
    void command('publish', null, key, 'live');
    await published.promise;
  }

  function send(tag: FlvTag, time: number): void {
    const payload =
      tag.type === 'metadata' ? Buffer.concat([encodeAmf('@setDataFrame'), tag.data]) : tag.data;
    write(TAG_TYPE[tag.type], payload, CHUNK_STREAM[tag.type], time, streamId);
  }

  function close(): void {
    void command('FCUnpublish', null, key);
    void command('deleteStream', null, streamId);
  }

  return { open, send, close };
}

async function shakeHands(socket: Socket): Promise<void> {
  const ours = Buffer.concat([Buffer.alloc(8), randomBytes(HANDSHAKE_BYTES - 8)]);
  socket.write(Buffer.concat([Buffer.from([VERSION]), ours]));
  const answer = await readExactly(socket, 1 + 2 * HANDSHAKE_BYTES);
  if (answer[0] !== VERSION) throw new Error('The ingest does not speak RTMP');
  socket.write(answer.subarray(1, 1 + HANDSHAKE_BYTES));
}

async function readExactly(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const bytes: unknown = socket.read(length);
    if (Buffer.isBuffer(bytes)) return bytes;
    await once(socket, 'readable');
  }
}

/** The message never contains the address or the key. */
const refusal = (info: AmfValue | undefined) =>
  new Error(`The ingest refused: ${codeOf(info) ?? 'no reason given'}`);

function memberOf(info: AmfValue | undefined, name: string): AmfValue | undefined {
  return typeof info === 'object' && info !== null ? info[name] : undefined;
}

function codeOf(info: AmfValue | undefined): string | null {
  const code = memberOf(info, 'code');
  return typeof code === 'string' ? code : null;
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
