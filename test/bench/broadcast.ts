import * as v from 'valibot';
import { clipHost } from '../support/clip-host.ts';
import type { Clip } from '../support/clip.ts';
import { startBroadcast, type BroadcastProcess } from '../support/broadcast.ts';
import { readRecording, type Recording } from '../support/recording.ts';
import { startRtmpServer } from '../support/rtmp-server.ts';
import { STREAM_SIZES, StreamSizeSchema } from '../../workers/broadcaster/sizes.ts';
import type { Bench } from './bench.ts';

/** `BROADCAST_MINUTES` and `BROADCAST_SIZE` select another length and size. */
const MINUTES = Number(process.env['BROADCAST_MINUTES'] ?? 30);
const SIZE = v.parse(StreamSizeSchema, process.env['BROADCAST_SIZE'] ?? '360p');
const FORMAT = STREAM_SIZES[SIZE];
const BASE = { width: 640, height: 360, fps: 30, seconds: 10 } as const;

const CLIPS: Readonly<Record<string, Clip>> = {
  'h264.mp4': { ...BASE, video: 'libx264', sound: 'aac', color: [81, 90, 240] },
  'mpeg4.avi': { ...BASE, video: 'mpeg4', sound: null, color: [145, 54, 34] },
  'vp8.webm': { ...BASE, video: 'libvpx', sound: 'libopus', width: 360, height: 640, color: [41, 240, 110] },
};

/** Memory, CPU and drift of a long broadcast to a real RTMP server. */
export const broadcast: Bench = {
  name: 'broadcast',
  summary: 'memory and drift of a looping live broadcast (30 minutes)',
  run: async () => {
    const host = await clipHost(CLIPS);
    const rtmp = await startRtmpServer();
    const items = [...Object.keys(CLIPS), 'missing.mp4'].map(name => ({ id: name, url: host.url(name) }));
    const limits = { heartbeat_ms: 1000 };
    const process = startBroadcast({ items, ingest: rtmp.ingest, format: FORMAT, is_loop: true, limits });
    await process.until(() => (process.last()?.streamed_ms ?? 0) >= MINUTES * 60_000);
    process.signal('SIGTERM');
    await process.ended;
    const recording = await readRecording(await rtmp.recording());
    await rtmp.close();
    await host.close();
    return [{ title: `A broadcast of ${MINUTES} minutes at ${SIZE}`, values: figures(process, recording) }];
  },
};

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
    'filler pictures': `${filler_ms} ms of ${streamed_ms} ms`,
    'largest step between packets': `video ${Math.round(video)} ms, sound ${Math.round(sound)} ms`,
    'bit rate': `${Math.round(sent)} kbit/s, ${ingest.losses} losses of the ingest`,
  };
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
