import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { freePort } from '../aws/free-port.ts';
import { pruneRecords, recordsOf } from './records.ts';
import { ingestUrl, startRtmpServer, type RtmpServer } from './rtmp-server.ts';

export interface IngestOptions {
  /** Where streams are recorded. */
  folder: string;
  /** 0 for any free port. */
  port: number;
  onStarted: (key: string) => boolean;
  onStopped: (key: string) => void;
}

/** Receives live streams and records them. */
export interface Ingest {
  /** Where encoders send to, followed by the stream key. */
  url: string;
  /** The last record of a stream; null without any. The last 20 of all streams are kept. */
  record: (key: string) => string | null;
  /** Kills the RTMP server, so that all encoders lose their ingest. The next connection starts another. */
  kill: () => Promise<void>;
  close: () => Promise<void>;
}

const HOST = '127.0.0.1';

/** Opens the ingest. Its RTMP server, which takes memory, is started for the first encoder that connects. */
export async function openIngest({ folder, port, onStarted, onStopped }: IngestOptions): Promise<Ingest> {
  let running: Promise<{ server: RtmpServer; port: number }> | null = null;

  async function start(): Promise<{ server: RtmpServer; port: number }> {
    pruneRecords(folder);
    const inner = await freePort();
    const server = await startRtmpServer({ folder, port: inner, onStarted, onStopped });
    void server.ended.then(() => (running = null));
    return { server, port: inner };
  }

  async function forward(encoder: Socket): Promise<void> {
    running ??= start();
    const { port: inner } = await running;
    pipeline(encoder, connect(inner, HOST), encoder, () => undefined);
  }

  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const started = await running?.catch(() => null);
    await started?.server.end(signal);
  }

  const listener = createServer(encoder => {
    encoder.on('error', () => undefined);
    forward(encoder).catch((error: unknown) => {
      running = null;
      console.error('The RTMP server could not be started:', error);
      encoder.destroy();
    });
  });
  return {
    url: ingestUrl(await listenOn(listener, port)),
    record: key => recordsOf(folder, key).at(-1) ?? null,
    kill: () => end('SIGKILL'),
    close: async () => {
      listener.close();
      await end('SIGTERM');
    },
  };
}

/** Listens on this port, or on any if another program has it. Returns the port. */
function listenOn(server: Server, port: number): Promise<number> {
  return new Promise(resolve => {
    server.once('error', () => server.listen(0, HOST));
    server.once('listening', () => resolve(addressOf(server).port));
    server.listen(port, HOST);
  });
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The ingest does not listen');
  return address;
}
