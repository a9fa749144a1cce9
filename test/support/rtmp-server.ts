import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../local/aws/free-port.ts';
import { recordsOf } from '../../local/live/records.ts';
import {
  ingestUrl,
  startRtmpServer as startServer,
  type RtmpServer as Server,
} from '../../local/live/rtmp-server.ts';

/** A real RTMP server in a process of its own. */
export interface RtmpServer {
  ingest: { url: string; key: string };
  /** Restarts the process, so that the last record is complete; resolves with the path of its FLV file. */
  recording: () => Promise<string>;
  /** Kills the process. */
  kill: () => Promise<void>;
  /** Starts it again at the same address. */
  start: () => Promise<void>;
  close: () => Promise<void>;
}

export async function startRtmpServer(): Promise<RtmpServer> {
  const folder = mkdtempSync(join(tmpdir(), 'rtmp-'));
  const port = await freePort();
  let server: Server | null = null;

  async function start(): Promise<void> {
    server = await startServer({ folder, port });
  }

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await server?.end(signal);
    server = null;
  }

  await start();
  return {
    ingest: { url: ingestUrl(port), key: 'stream-key' },
    recording: async () => {
      await end('SIGTERM');
      await start();
      return recordsOf(folder).at(-1)!;
    },
    kill: () => end('SIGKILL'),
    start,
    close: async () => {
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
