import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BroadcastEnd, Heartbeat, ItemReport } from '../../workers/broadcaster/reporter.ts';
import type { Survey } from '../../workers/broadcaster/playlist/survey.ts';
import { DECODER_LIMITS } from '../../workers/broadcaster/playlist/decoder-process.ts';
import type { BroadcastJob } from './broadcast-process.ts';

/** A broadcaster in a process of its own. */
export interface BroadcastProcess {
  pid: number;
  items: ItemReport[];
  /** `at`: when it was received, in milliseconds. */
  beats: { heartbeat: Heartbeat; rss: number; peak_mib: number; at: number }[];
  last: () => Heartbeat | null;
  /** What the survey of the playlist found; null before. */
  survey: () => Survey | null;
  /** Resolves when the process has ended, with how the broadcast ended; null for a process that was killed. */
  ended: Promise<BroadcastEnd | null>;
  signal: (name: NodeJS.Signals) => void;
  until: (isTrue: () => boolean) => Promise<void>;
}

export const DECODER: BroadcastJob['decoder'] = {
  program: fileURLToPath(new URL('../../workers/broadcaster/decoder/main.ts', import.meta.url)),
  user_id: null,
  net: { allowLoopback: true, allowPrivate: false },
  limits: DECODER_LIMITS,
};

export const SMALL = { width: 160, height: 90, fps: 15, bit_rate: 200_000, preset: 'ultrafast' } as const;

const PROGRAM = fileURLToPath(new URL('broadcast-process.ts', import.meta.url));

type Line = Partial<BroadcastProcess['beats'][number]> & {
  item?: ItemReport;
  end?: BroadcastEnd;
  survey?: Survey;
};

export function startBroadcast(
  job: Pick<BroadcastJob, 'items' | 'ingest'> & Partial<BroadcastJob>,
): BroadcastProcess {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  const items: ItemReport[] = [];
  const beats: BroadcastProcess['beats'] = [];
  let end: BroadcastEnd | null = null;
  let survey: Survey | null = null;
  let hasEnded = false;
  createInterface({ input: child.stdout }).on('line', text => {
    const line = JSON.parse(text) as Line;
    if (line.item) items.push(line.item);
    if (line.heartbeat) beats.push({ ...line, at: performance.now() } as BroadcastProcess['beats'][number]);
    if (line.end) end = line.end;
    if (line.survey) survey = line.survey;
  });
  child.stdin.write(
    `${JSON.stringify({ is_loop: false, may_copy: false, format: SMALL, decoder: DECODER, ...job })}\n`,
  );
  const ended = once(child, 'close').then(() => {
    hasEnded = true;
    return end;
  });
  return {
    pid: child.pid!,
    items,
    beats,
    last: () => beats.at(-1)?.heartbeat ?? null,
    survey: () => survey,
    ended,
    signal: name => void child.kill(name),
    until: async isTrue => {
      while (!isTrue()) {
        if (hasEnded) throw new Error(`The broadcast ended: ${JSON.stringify(end)}`);
        await sleep(20);
      }
    },
  };
}

/** Returns the ids of the decoder processes that run. */
export function decodersOf({ pid }: BroadcastProcess): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines
    .map(line => line.trim().split(/\s+/).map(Number) as [number, number])
    .filter(([, parent]) => parent === pid)
    .map(([own]) => own);
}
