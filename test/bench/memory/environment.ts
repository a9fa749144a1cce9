import type { SQSRecord } from 'aws-lambda';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFolder } from '../../../lib/dist.ts';
import { peakMibOf } from '../../support/peak-memory.ts';

/** The heap that Lambda's runtime gives to Node.js, as a share of the function's memory. */
const HEAP_SHARE = 0.9;

/**
 * A Lambda environment as a process: loads a bundle, and handles the batches that it receives. Plain JavaScript, since
 * Node.js would need memory to strip types.
 */
const PROGRAM = `
const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const { handler } = await import(${JSON.stringify(join(bundleFolder('publisher'), 'index.js'))});
process.on('message', async Records => {
  const before = used();
  const { batchItemFailures } = await handler({ Records }, { getRemainingTimeInMillis: () => 600_000 });
  process.send({ cpu_ms: used() - before, failed: batchItemFailures.length });
});
process.send({ cpu_ms: used(), failed: 0 });
`;

interface Handled {
  /** Processor time of the batch. */
  cpu_ms: number;
  failed: number;
}

/** An environment of a publisher, in a process of its own. */
export interface PublisherProcess {
  /** Handles a batch. Returns the milliseconds of processor time that it took; throws where a message fails. */
  handle: (records: readonly SQSRecord[]) => Promise<number>;
  /** Returns its peak memory so far in MiB; null where the system does not tell. */
  peakMib: () => number | null;
  close: () => Promise<void>;
}

/** Starts the bundle of the publishers with these environment variables and the heap of so much memory. */
export async function startPublisher(
  environment: Readonly<Record<string, string>>,
  memoryMb: number,
): Promise<PublisherProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'publisher-'));
  const program = join(folder, 'program.mjs');
  writeFileSync(program, PROGRAM);
  const child = fork(program, {
    execArgv: ['--no-deprecation', `--max-old-space-size=${Math.floor(memoryMb * HEAP_SHARE)}`],
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const answer = async () => {
    const settled = new AbortController();
    const { signal } = settled;
    const failed = once(child, 'exit', { signal }).then(([code]) => {
      throw new Error(`The publisher ended with ${String(code)}`);
    });
    try {
      const [handled] = (await Promise.race([once(child, 'message', { signal }), failed])) as [Handled];
      return handled;
    } finally {
      // Removes the listeners.
      failed.catch(() => undefined);
      settled.abort();
    }
  };
  await answer();
  return {
    handle: async records => {
      child.send(records);
      const { cpu_ms, failed } = await answer();
      if (failed > 0) throw new Error(`${failed} deliveries failed`);
      return cpu_ms;
    },
    peakMib: () => (child.pid === undefined ? null : peakMibOf(child.pid)),
    close: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}
