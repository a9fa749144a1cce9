import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/*
 * Interrupts `npm test` while a test has a local stack running: the run must exit, and with it jest, its workers, the
 * DynamoDB emulators and the stack. Processes are found by an environment variable, which all of them inherit (Linux).
 */

const RUN = fileURLToPath(new URL('run.ts', import.meta.url));
const LIMIT_MS = 120_000;
const POLL_MS = 100;
const onLinux = existsSync('/proc/self/environ') ? test : test.skip;

onLinux(
  'a test run that is interrupted leaves no process behind',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'interrupt-'));
    const readyFile = join(folder, 'ready');
    // The tests below have an emulator of their own, like every run.
    const env = { ...process.env, HANG_READY_FILE: readyFile, DYNAMODB_ENDPOINT: '' };
    const run = spawn(
      process.execPath,
      [RUN, '--testMatch', '**/test/support/hang/*.ts', '--maxWorkers', '2'],
      { env, stdio: 'ignore' },
    );
    const exited = new Promise<number | null>(resolve => run.once('exit', resolve));
    try {
      await until('the stack is running', () => existsSync(readyFile));
      // This run, jest, a worker, the stack, and the emulators of both.
      expect(processesWith(readyFile).length).toBeGreaterThan(5);
      run.kill('SIGINT');
      expect(await exited).toBe(130);
      await until('every process has exited', () => processesWith(readyFile).length === 0);
    } finally {
      for (const { pid } of processesWith(readyFile)) process.kill(pid, 'SIGKILL');
      rmSync(folder, { recursive: true });
    }
  },
  2 * LIMIT_MS,
);

async function until(what: string, condition: () => boolean): Promise<void> {
  const limit = performance.now() + LIMIT_MS;
  while (!condition()) {
    if (performance.now() > limit) throw new Error(`Timed out: ${what}`);
    await sleep(POLL_MS);
  }
}

/** Returns the processes that were started with this text in their environment. */
function processesWith(text: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0 && pid !== process.pid && read(`/proc/${pid}/environ`).includes(text))
    .map(pid => ({ pid, command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() }))
    .filter(({ command }) => command !== '');
}

/** Returns the content of a file, or an empty text if the process has exited meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
