import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import * as v from 'valibot';
import { NoticeSchema, TICKS_FD, type Job, type Notice } from '../decoder/job.ts';
import type { ItemFailure } from '../item-error.ts';
import type { PictureFacts } from '../picture-facts.ts';
import { copiedLayout, createTickBuffer, decodedLayout } from './tick-buffer.ts';
import { residentBytes } from './watch-memory.ts';

/** How decoder processes are started and guarded. */
export interface DecoderSettings {
  /** The program: `decoder/main.ts`, or its bundle. */
  program: string;
  /** User that the process runs as, where the broadcaster is root: it then cannot read the broadcaster's secrets. */
  user_id: number | null;
  net: Job['net'];
  limits: DecoderLimits;
}

export interface DecoderLimits {
  memory_bytes: number;
  /** For the first tick. */
  open_ms: number;
  /** Without any data while the broadcaster wants some. */
  stall_ms: number;
}

export const DECODER_LIMITS: DecoderLimits = { memory_bytes: 700e6, open_ms: 20_000, stall_ms: 20_000 };

/** The process that decodes one item. */
export interface DecoderProcess {
  pid: number | null;
  /** Returns the next tick; null while there is none. */
  take: () => Buffer | null;
  hasTick: () => boolean;
  /** True when no tick is left and none will come. */
  hasEnded: () => boolean;
  failure: () => ItemFailure | null;
  /** Duration of the file as its container says; null while unknown. */
  duration_ms: () => number | null;
  /** What a survey found; null while unknown. */
  facts: () => PictureFacts | null;
  /** Resolves when the process has ended. Its last ticks may still be there. */
  closed: Promise<void>;
  /** Kills the process; resolves when it has ended. */
  stop: () => Promise<void>;
}

const CHECK_MS = 500;

/** Starts a process that does `job`. Never throws: the process reports its errors. */
export function startDecoder(job: Job, settings: DecoderSettings): DecoderProcess {
  const child = spawnDecoder(settings);
  const ticks = child.stdio[TICKS_FD];
  if (!(ticks instanceof Readable) || !child.stdout) throw new Error('The decoder process has no pipes');
  const buffer = createTickBuffer(
    ticks,
    job.task.type === 'copy' ? copiedLayout(job.format) : decodedLayout(job.format),
  );
  let failure: ItemFailure | null = null;
  let duration_ms: number | null = null;
  let facts: PictureFacts | null = null;
  let isDone = false;

  function fail(found: ItemFailure): void {
    failure ??= found;
  }

  function kill(reason?: ItemFailure): void {
    if (reason) fail(reason);
    child.kill('SIGKILL');
    // Without a reader, the pipe stays open and the process never counts as ended.
    ticks?.removeAllListeners('data');
    if (ticks instanceof Readable) ticks.resume();
  }

  function onNotice(notice: Notice): void {
    if (notice.type === 'opened') duration_ms = notice.duration_ms;
    if (notice.type === 'surveyed') facts = notice.facts;
    if (notice.type === 'failed') fail({ code: notice.code, message: notice.message });
    if (notice.type === 'ended') isDone = true;
  }

  const closed = new Promise<void>(resolve => {
    child.once('error', error => {
      fail({ code: 'CRASHED', message: error.message });
      resolve();
    });
    child.once('close', (code, signal) => {
      if (!isDone)
        fail({ code: 'CRASHED', message: `The decoder ended with ${signal ?? code ?? 'no code'}` });
      resolve();
    });
  });
  let isClosed = false;
  const guard = setInterval(createGuard(child, buffer, settings.limits, kill), CHECK_MS);
  void closed.then(() => {
    isClosed = true;
    clearInterval(guard);
  });

  const notices = v.pipe(v.string(), v.parseJson(), NoticeSchema);
  createInterface({ input: child.stdout }).on('line', line => {
    const notice = v.safeParse(notices, line);
    if (notice.success) onNotice(notice.output);
  });
  child.stdin?.on('error', () => undefined);
  child.stdin?.write(`${JSON.stringify(job)}\n`);

  return {
    pid: child.pid ?? null,
    take: buffer.take,
    hasTick: buffer.has,
    hasEnded: () => isClosed && !buffer.has(),
    failure: () => failure,
    duration_ms: () => duration_ms,
    facts: () => facts,
    closed,
    stop: () => {
      kill();
      return closed;
    },
  };
}

/** Windows opens no socket without this variable. */
const environment = () => (process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] } : {});

/** The standard input stays open: it tells the process that somebody wants it. Secrets of the environment stay here. */
function spawnDecoder({ program, user_id }: DecoderSettings): ChildProcess {
  return spawn(process.execPath, ['--max-old-space-size=256', program], {
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
    env: environment(),
    cwd: '/',
    ...(user_id === null ? {} : { uid: user_id, gid: user_id }),
  });
}

/** Counts checks instead of comparing times: a machine that stood still would seem to be a stalled process. */
function createGuard(
  { pid }: ChildProcess,
  buffer: ReturnType<typeof createTickBuffer>,
  { memory_bytes, open_ms, stall_ms }: DecoderLimits,
  kill: (reason: ItemFailure) => void,
): () => void {
  let idleMs = 0;
  let before = 0;
  return () => {
    const received = buffer.received();
    idleMs = received === before && !buffer.isFull() ? idleMs + CHECK_MS : 0;
    before = received;
    if (received === 0 && idleMs >= open_ms)
      kill({ code: 'SLOW', message: `The item did not begin within ${open_ms} ms` });
    if (received > 0 && idleMs >= stall_ms)
      kill({ code: 'STALLED', message: `The item sent nothing for ${stall_ms} ms` });
    if (pid === undefined) return;
    void residentBytes(pid).then(bytes => {
      if (bytes !== null && bytes > memory_bytes)
        kill({ code: 'MEMORY', message: `The decoder used more than ${memory_bytes} bytes of memory` });
    });
  };
}
