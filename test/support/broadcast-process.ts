import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { runBroadcast, type Broadcast, type BroadcastLimits } from '../../workers/broadcaster/broadcast.ts';
import type { StreamFormat } from '../../workers/broadcaster/format.ts';
import type { IngestAddress } from '../../workers/broadcaster/rtmp/address.ts';
import { REAL_TIME, type Timer } from '../../workers/broadcaster/timer.ts';
import { peakMib } from './peak-memory.ts';

/*
 * The broadcaster as a process: reads a `BroadcastJob` from its standard input and writes what it reports to the standard
 * output, a JSON value a line.
 */

export interface BroadcastJob {
  items: { id: string; url: string }[];
  is_loop: boolean;
  format: StreamFormat;
  ingest: IngestAddress;
  limits?: Partial<BroadcastLimits>;
  decoder: Broadcast['decoder'];
  /** How much faster than real time the stream is. */
  speed?: number;
}

const fasterTime = (speed: number): Timer => ({
  now: () => REAL_TIME.now() * speed,
  sleep: (ms, signal) => REAL_TIME.sleep(ms / speed, signal),
});

const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
const input = createInterface({ input: process.stdin });
const [line] = (await once(input, 'line')) as [string];
const job = JSON.parse(line) as BroadcastJob;
const say = (message: unknown) => void process.stdout.write(`${JSON.stringify(message)}\n`);

const end = await runBroadcast({
  ...job,
  items: job.items.map(({ id, url }) => ({ id, url: () => Promise.resolve(url) })),
  signal: stopping.signal,
  timer: fasterTime(job.speed ?? 1),
  reporter: {
    heartbeat: beat => {
      say({ heartbeat: beat, rss: process.memoryUsage.rss(), peak_mib: peakMib() });
      return Promise.resolve('continue');
    },
    item: item => say({ item }),
  },
});
say({ end });
input.close();
process.stdin.destroy();
