import * as v from 'valibot';
import { clipHost } from '../support/clip-host.ts';
import type { Clip, YuvColor } from '../support/clip.ts';
import { decodersOf, startBroadcast, type BroadcastProcess } from '../support/broadcast.ts';
import { cpuSeconds } from '../support/process-cpu.ts';
import { readRecording, type Recording } from '../support/recording.ts';
import { startRtmpServer } from '../support/rtmp-server.ts';
import type { TestStack } from '../support/stack.ts';
import { createBroadcast } from '../support/streamed-broadcast.ts';
import { residentBytes } from '../../workers/broadcaster/playlist/watch-memory.ts';
import { STREAM_SIZES, StreamSizeSchema } from '../../workers/broadcaster/sizes.ts';
import { onStack, type Bench, type Results } from './bench.ts';
import { less } from './value.ts';

/**
 * `BROADCAST_MINUTES` and `BROADCAST_SIZE` select another length and size. `BROADCAST_PICTURES=copied` or `encoded` plays alike
 * files, and measures no recovery.
 */
const MINUTES = Number(process.env['BROADCAST_MINUTES'] ?? 30);
const SIZE = v.parse(StreamSizeSchema, process.env['BROADCAST_SIZE'] ?? '360p');
const FORMAT = STREAM_SIZES[SIZE];
const PICTURES = v.parse(v.optional(v.picklist(['copied', 'encoded'])), process.env['BROADCAST_PICTURES']);
const IS_ALIKE = PICTURES !== undefined;
const BASE = { width: 640, height: 360, fps: 30, seconds: 10 } as const;

const UNLIKE: Readonly<Record<string, Clip>> = {
  'h264.mp4': { ...BASE, video: 'libx264', sound: 'aac', color: [81, 90, 240] },
  'mpeg4.avi': { ...BASE, video: 'mpeg4', sound: null, color: [145, 54, 34] },
  'vp8.webm': { ...BASE, video: 'libvpx', sound: 'libopus', width: 360, height: 640, color: [41, 240, 110] },
};

/** As large as an encoded stream, and with its bit rate, which plain pictures alone would not have. */
const ALIKE_BASE = {
  width: FORMAT.width,
  height: FORMAT.height,
  fps: FORMAT.fps,
  seconds: 30,
  video: 'libx264',
  sound: 'aac',
  b_frames: 2,
  x264: `nal-hrd=cbr:bitrate=${FORMAT.bit_rate / 1000}:vbv-maxrate=${FORMAT.bit_rate / 1000}:vbv-bufsize=${FORMAT.bit_rate / 500}`,
} as const;
const ALIKE: Readonly<Record<string, Clip>> = {
  'red.mp4': { ...ALIKE_BASE, color: [81, 90, 240] },
  'green.mov': { ...ALIKE_BASE, color: [145, 54, 34] },
};
const CLIPS = IS_ALIKE ? ALIKE : UNLIKE;

/** Memory, CPU and drift of a long broadcast to a real RTMP server, and how soon one goes on after a loss. */
export const broadcast: Bench = {
  name: 'broadcast',
  summary: 'memory and drift of a looping live broadcast (30 minutes), and its recovery from losses',
  run: async () => [await longBroadcast(), ...(IS_ALIKE ? [] : [await onStack(recovery)])],
};

/** The playable files, one that is missing and one without its end. */
const clips = () =>
  clipHost(CLIPS, bytes =>
    IS_ALIKE ? {} : { 'truncated.mp4': bytes('h264.mp4').subarray(0, bytes('h264.mp4').length / 2) },
  );
const FILES = [...Object.keys(CLIPS), ...(IS_ALIKE ? [] : ['missing.mp4', 'truncated.mp4'])];

async function longBroadcast(): Promise<Results> {
  const host = await clips();
  const rtmp = await startRtmpServer();
  const items = FILES.map(name => ({ id: name, url: host.url(name) }));
  const limits = { heartbeat_ms: 1000 };
  const process = startBroadcast({
    items,
    ingest: rtmp.ingest,
    format: FORMAT,
    is_loop: true,
    may_copy: PICTURES === 'copied',
    limits,
  });
  await process.until(() => (process.last()?.streamed_ms ?? 0) > 0);
  const usage = measureUsage(process);
  await process.until(() => (process.last()?.streamed_ms ?? 0) >= MINUTES * 60_000);
  const used = usage();
  process.signal('SIGTERM');
  await process.ended;
  const recording = await readRecording(await rtmp.recording());
  await rtmp.close();
  await host.close();
  const title = `A broadcast of ${MINUTES} minutes at ${SIZE}, ${PICTURES ?? 'encoded'}`;
  return { title, values: { ...used, ...figures(process, recording) } };
}

/** Begins to measure a broadcaster and its decoders; the function that it returns tells what they used since. */
function measureUsage(process: BroadcastProcess): () => Record<string, string> {
  const used = () => [process.pid, ...decodersOf(process)].reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const before = used();
  const begun = performance.now();
  let largest = 0;
  const sampling = setInterval(() => {
    for (const pid of decodersOf(process))
      void residentBytes(pid).then(bytes => (largest = Math.max(largest, bytes ?? 0)));
  }, 5000);
  return () => {
    clearInterval(sampling);
    const share = (used() - before) / ((performance.now() - begun) / 1000);
    return {
      'CPU of worker and decoders': `${(share * 100).toFixed(1)} % of a core`,
      'memory of a decoder': `at most ${mebibytes([largest])}`,
    };
  };
}

/** Kills the ingest and the worker of a broadcast on a local stack, and measures when the recording grows again. */
async function recovery(stack: TestStack): Promise<Results> {
  const host = await clips();
  const { tasks, session, recordedMs } = await createBroadcast(stack, host, FILES);
  await stack.advance(60);
  await stack.until('the broadcast is live', async () => (await session()).status === 'live');
  await stack.until('it is recorded', async () => (await recordedMs()) > 0);
  const secondsUntilItGrows = async (kill: () => Promise<unknown>) => {
    await kill();
    const killed = performance.now();
    const length = await recordedMs();
    await stack.until('the stream goes on', async () => (await recordedMs()) > length + 500);
    return less((performance.now() - killed) / 1000, 's', 1);
  };
  const values = {
    'the ingest is lost': await secondsUntilItGrows(() => stack.control('DELETE', '/_control/streams')),
    'the worker is killed': await secondsUntilItGrows(async () => {
      for (const { id } of await tasks()) await stack.local('DELETE', `/_local/tasks/${id}`);
    }),
  };
  await host.close();
  return { title: 'Until half a second more is recorded', values };
}

function figures({ beats, items, last }: BroadcastProcess, recording: Recording): Record<string, string> {
  const { filler_ms, behind_ms, streamed_ms, ingest } = last()!;
  const live = beats.filter(({ heartbeat }) => heartbeat.state === 'live');
  const quarter = Math.ceil(live.length / 4);
  const count = (outcome: string) => items.filter(item => item.outcome === outcome).length;
  const { video, sound } = recording.largest_step;
  const sent = (ingest.bytes_sent * 8) / streamed_ms;
  return {
    'items played, incomplete, skipped': `${count('played')}, ${count('incomplete')}, ${count('skipped')}`,
    'memory, mean of each quarter': [0, 1, 2, 3]
      .map(index => mebibytes(live.slice(index * quarter, (index + 1) * quarter).map(({ rss }) => rss)))
      .join(', '),
    'stream behind the clock': `at most ${latest(live)} ms, ${behind_ms} ms of it not made up for`,
    'sound against picture at the end': `${Math.round(skew(recording))} ms`,
    'pictures of each playable item': Object.entries(CLIPS)
      .map(([name, { color }]) => `${name} ${shownOf(recording, color)} of ${sentOf(name, items)}`)
      .join(', '),
    'sound, where the item has one': `silent for at most ${Math.round(silence(recording))} ms`,
    'filler pictures': `${filler_ms} ms of ${streamed_ms} ms`,
    'largest step between packets': `video ${Math.round(video)} ms, sound ${Math.round(sound)} ms`,
    'bit rate': `${Math.round(sent)} kbit/s, ${ingest.losses} losses of the ingest`,
  };
}

/** How many pictures show a color. */
const shownOf = ({ pictures }: Recording, [, u, v]: YuvColor) =>
  pictures.filter(({ color }) => Math.abs(color[1] - u) < 25 && Math.abs(color[2] - v) < 25).length;

/** How many pictures the worker made of an item, all of its rounds together. */
function sentOf(name: string, items: BroadcastProcess['items']): number {
  const own = items.filter(({ item_id }) => item_id === name);
  return Math.round(own.reduce((sum, { played_ms }) => sum + played_ms, 0) * (FORMAT.fps / 1000));
}

/** The longest time without a tone while an item with sound is shown, in milliseconds. */
function silence({ pictures, sound }: Recording): number {
  const [, u, v] = UNLIKE['mpeg4.avi']!.color;
  let longest = 0;
  let since: number | null = null;
  // The picture that is shown with the sound; both are in order.
  let shown = 0;
  for (const { time, level } of sound) {
    while ((pictures[shown + 1]?.time ?? Infinity) <= time) shown += 1;
    const color = pictures[shown]?.color;
    const isMute = !color || (!IS_ALIKE && Math.abs(color[1] - u) < 25 && Math.abs(color[2] - v) < 25);
    since = level < 0.1 && !isMute ? (since ?? time) : null;
    if (since !== null) longest = Math.max(longest, time - since);
  }
  return longest;
}

/** How far the stream fell behind the clock at most, in milliseconds. */
function latest(beats: BroadcastProcess['beats']): number {
  const leads = beats.map(({ at, heartbeat }) => heartbeat.streamed_ms - at);
  return Math.round(Math.max(...leads) - Math.min(...leads));
}

/** How much longer the sound is than the pictures. */
function skew({ pictures, sound }: Recording): number {
  return (sound.at(-1)?.time ?? 0) + 1024 / 48 - ((pictures.at(-1)?.time ?? 0) + 1000 / FORMAT.fps);
}

function mebibytes(values: readonly number[]): string {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return `${Math.round(mean / 1024 ** 2)} MiB`;
}
