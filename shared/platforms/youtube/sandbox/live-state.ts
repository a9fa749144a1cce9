import * as v from 'valibot';
import type { SandboxCollection, SandboxHost } from '../../contract/sandbox.ts';

const StageSchema = v.picklist([
  'created',
  'ready',
  'testStarting',
  'testing',
  'liveStarting',
  'live',
  'complete',
]);
type Stage = v.InferOutput<typeof StageSchema>;

const time = v.nullable(v.number());

/** A live broadcast. Times are epoch milliseconds. */
const BroadcastSchema = v.object({
  id: v.string(),
  channel_id: v.string(),
  title: v.string(),
  description: v.string(),
  privacy: v.string(),
  scheduled_start: v.number(),
  auto_start: v.boolean(),
  auto_stop: v.boolean(),
  monitor: v.boolean(),
  stage: StageSchema,
  /** The stage that it is moving to, and when it gets there. */
  next: v.nullable(v.object({ stage: StageSchema, at: v.number() })),
  stream_id: v.nullable(v.string()),
  /** The recording was deleted. */
  video_deleted: v.boolean(),
  created_at: v.number(),
  started_at: time,
  ended_at: time,
});
export type Broadcast = v.InferOutput<typeof BroadcastSchema>;

const StreamSchema = v.object({
  id: v.string(),
  channel_id: v.string(),
  title: v.string(),
  description: v.string(),
  key: v.string(),
  resolution: v.string(),
  frame_rate: v.string(),
  reusable: v.boolean(),
  status: v.picklist(['ready', 'active', 'inactive']),
  /** When the status last changed. */
  changed_at: v.number(),
  created_at: v.number(),
});
export type Stream = v.InferOutput<typeof StreamSchema>;

export interface LiveState {
  broadcasts: SandboxCollection<Broadcast>;
  streams: SandboxCollection<Stream>;
  /** Where encoders send streams to, where an RTMP server runs behind the sandbox. */
  ingest_url: string | null;
}

export function openLiveState(host: SandboxHost): LiveState {
  return {
    broadcasts: host.collection('broadcasts', BroadcastSchema),
    streams: host.collection('streams', StreamSchema),
    ingest_url: null,
  };
}

/** Auto-stop ends a broadcast so long after its stream stopped. */
const AUTO_STOP_MS = 60_000;

/** Returns a broadcast as it is now: time moves it on. */
export function settled(state: LiveState, broadcast: Broadcast, now: number): Broadcast {
  const moved = arrived(broadcast, now);
  const stream = moved.stream_id === null ? undefined : state.streams.get(moved.stream_id);
  const silentSince = stream?.status === 'inactive' ? stream.changed_at : null;
  const isStopped = moved.auto_stop && silentSince !== null && now - silentSince >= AUTO_STOP_MS;
  return moved.stage === 'live' && isStopped ? moveTo(moved, 'complete', silentSince + AUTO_STOP_MS) : moved;
}

function arrived(broadcast: Broadcast, now: number): Broadcast {
  const { next } = broadcast;
  return next !== null && next.at <= now ? moveTo(broadcast, next.stage, next.at) : broadcast;
}

/** Returns a broadcast that reached a stage at a time. */
export function moveTo(broadcast: Broadcast, stage: Stage, at: number): Broadcast {
  return {
    ...broadcast,
    stage,
    next: null,
    started_at: stage === 'live' ? at : broadcast.started_at,
    ended_at: stage === 'complete' ? at : broadcast.ended_at,
  };
}

/** Returns a broadcast that starts moving to a stage. */
export function startMoving(broadcast: Broadcast, stage: 'testing' | 'live', at: number): Broadcast {
  return { ...broadcast, stage: stage === 'live' ? 'liveStarting' : 'testStarting', next: { stage, at } };
}
