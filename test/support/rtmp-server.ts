import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../local/aws/free-port.ts';

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

const PROGRAM = fileURLToPath(new URL('rtmp-server-process.mjs', import.meta.url));

export async function startRtmpServer(): Promise<RtmpServer> {
  const folder = mkdtempSync(join(tmpdir(), 'rtmp-'));
  const port = await freePort();
  const httpPort = await freePort();
  let server: ChildProcess | null = null;

  async function start(): Promise<void> {
    server = spawn(process.execPath, [PROGRAM, String(port), String(httpPort)], {
      cwd: folder,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    while (!(await accepts(port))) await sleep(50);
  }

  async function kill(name: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    if (!server) return;
    const ended = once(server, 'exit');
    server.kill(name);
    server = null;
    await ended;
  }

  async function recording(): Promise<string> {
    await kill('SIGTERM');
    await start();
    return join(folder, globSync('live2/**/*.flv', { cwd: folder }).sort(byName).at(-1)!);
  }

  await start();
  return {
    ingest: { url: `rtmp://127.0.0.1:${port}/live2`, key: 'stream-key' },
    recording,
    kill: () => kill(),
    start,
    close: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Records are named by the time at which they begin. */
const byName = (a: string, b: string) => basename(a).localeCompare(basename(b));

function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
