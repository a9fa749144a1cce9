import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { runBroadcast, type Broadcast, type BroadcastLimits } from '../../workers/broadcaster/broadcast.ts';
import type { StreamFormat } from '../../workers/broadcaster/format.ts';
import type { IngestAddress } from '../../workers/broadcaster/rtmp/address.ts';
import { REAL_TIME, type Timer } from '../../workers/broadcaster/timer.ts';
import { surveyPlaylist } from '../../workers/broadcaster/playlist/survey.ts';
import type { Heartbeat } from '../../workers/broadcaster/reporter.ts';
import { peakMib } from './peak-memory.ts';

/*
 * The broadcaster as a process: reads a `BroadcastJob` from its standard input and writes what it reports to the standard
 * output, a JSON value a line.
 */

export interface BroadcastJob {
  /** `played_url`: what it is played from, as if the file had changed since the survey. */
  items: { id: string; url: string; played_url?: string }[];
  is_loop: boolean;
  /** Surveys the playlist before, and sends the pictures as they are where all items allow it. */
  may_copy: boolean;
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

const itemsAt = (isPlayed: boolean) =>
  job.items.map(({ id, url, played_url = url }) => ({
    id,
    file_id: id,
    url: () => Promise.resolve(isPlayed ? played_url : url),
  }));
const survey = job.may_copy
  ? await surveyPlaylist({ ...job, items: itemsAt(false), signal: stopping.signal })
  : { copied: null, reason: null };
say({ survey });

const sayBeat = (heartbeat: Heartbeat) =>
  say({ heartbeat, rss: process.memoryUsage.rss(), peak_mib: peakMib() });

const end = await runBroadcast({
  ...job,
  items: itemsAt(true),
  copied: survey.copied,
  signal: stopping.signal,
  timer: fasterTime(job.speed ?? 1),
  reporter: {
    heartbeat: beat => {
      sayBeat(beat);
      return Promise.resolve('continue');
    },
    final: sayBeat,
    item: item => say({ item }),
  },
});
say({ end });
input.close();
process.stdin.destroy();
