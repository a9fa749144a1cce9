import { createServer, type AddressInfo, type Socket } from 'node:net';
import { decodeAmf, encodeAmf, type AmfValue } from '../../workers/broadcaster/rtmp/amf.ts';
import {
  createMessageReader,
  encodeMessage,
  MESSAGE,
  type RtmpMessage,
} from '../../workers/broadcaster/rtmp/chunks.ts';

/** An RTMP server whose misbehavior a test selects. */
export interface FakeIngest {
  address: { url: string; key: string };
  /** Names of the commands and types of the messages that each connection received. */
  connections: { commands: string[]; messages: RtmpMessage[] }[];
  close: () => Promise<void>;
}

export interface IngestBehavior {
  /** The code that answers `publish`. Default: it starts. */
  publish?: string;
  /** Stops reading once the stream has started. Only the first connection does. */
  stopsReading?: boolean;
}

const HANDSHAKE_BYTES = 1536;

export async function startFakeIngest(behavior: IngestBehavior = {}): Promise<FakeIngest> {
  const connections: FakeIngest['connections'] = [];
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    const received: FakeIngest['connections'][number] = { commands: [], messages: [] };
    connections.push(received);
    const isFirst = connections.length === 1;
    serve(
      socket.on('error', () => undefined),
      received,
      behavior,
      isFirst,
    );
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: { url: `rtmp://127.0.0.1:${port}/live2`, key: 'secret-key' },
    connections,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
}

function serve(
  socket: Socket,
  { commands, messages }: FakeIngest['connections'][number],
  { publish = 'NetStream.Publish.Start', stopsReading = false }: IngestBehavior,
  isFirst: boolean,
): void {
  let handshake: Buffer = Buffer.alloc(0);
  let isOpen = false;
  const say = (...values: AmfValue[]) => {
    const options = { chunkStream: 3, streamId: 0, time: 0, chunkSize: 128 };
    socket.write(encodeMessage({ type: MESSAGE.command, payload: encodeAmf(...values) }, options));
  };
  const read = createMessageReader(message => {
    messages.push(message);
    if (message.type !== MESSAGE.command) return;
    const [name, id] = decodeAmf(message.payload);
    if (typeof name === 'string') commands.push(name);
    if (name === 'connect') say('_result', id ?? 0, null, { code: 'NetConnection.Connect.Success' });
    if (name === 'createStream') say('_result', id ?? 0, null, 7);
    if (name !== 'publish') return;
    const level = publish.endsWith('Start') ? 'status' : 'error';
    say('onStatus', 0, null, { level, code: publish });
    if (stopsReading && isFirst) socket.pause();
  });
  socket.on('data', bytes => {
    if (isOpen) {
      read(bytes);
      return;
    }
    handshake = Buffer.concat([handshake, bytes]);
    if (handshake.length < 1 + HANDSHAKE_BYTES) return;
    const [hello, rest] = [
      handshake.subarray(1, 1 + HANDSHAKE_BYTES),
      handshake.subarray(1 + HANDSHAKE_BYTES),
    ];
    if (rest.length === 0) {
      socket.write(Buffer.concat([Buffer.from([3]), Buffer.alloc(HANDSHAKE_BYTES), hello]));
      return;
    }
    if (rest.length < HANDSHAKE_BYTES) return;
    isOpen = true;
    read(rest.subarray(HANDSHAKE_BYTES));
  });
}
