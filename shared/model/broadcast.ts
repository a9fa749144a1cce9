import * as v from 'valibot';

/** In the order in which a broadcast goes through them; the last three are final. */
export const BROADCAST_STATUSES = ['pending', 'starting', 'live', 'completed', 'failed', 'stopped'] as const;
export const BroadcastStatusSchema = v.picklist(BROADCAST_STATUSES);
export type BroadcastStatus = v.InferOutput<typeof BroadcastStatusSchema>;

export const BROADCAST_PRIVACIES = ['public', 'unlisted', 'private'] as const;

/** What the worker does, as it reported last. */
export const WorkerStateSchema = v.picklist(['preparing', 'streaming', 'finished', 'failed']);
export type WorkerState = v.InferOutput<typeof WorkerStateSchema>;

/** How far the worker is, as it reported last. */
export const WorkerProgressSchema = v.object({
  /** Position in the playlist of the item that is shown, from 0; null between items. */
  item: v.nullable(v.number()),
  /** Ticks sent, and those of them that were fillers. */
  ticks: v.number(),
  fillers: v.number(),
  bytes: v.number(),
  /** Times that the ingest was lost. */
  reconnects: v.number(),
  last_error: v.nullable(v.string()),
});
export type WorkerProgress = v.InferOutput<typeof WorkerProgressSchema>;

export const BROADCAST_EVENT_KINDS = ['broadcast.live', 'broadcast.ended', 'broadcast.failed'] as const;
const BroadcastEventKindSchema = v.picklist(BROADCAST_EVENT_KINDS);
export type BroadcastEventKind = v.InferOutput<typeof BroadcastEventKindSchema>;

const time = v.nullable(v.number());

/**
 * A live broadcast session of YouTube. Times are epoch milliseconds.
 *
 * The controller writes under its lease, the worker's heartbeats on the condition of `attempt`, and a stop request on the
 * condition of `status`: no two of them write the same fields, but for a stop that ends the status.
 */
export const BroadcastSchema = v.object({
  id: v.string(),
  workspace_id: v.string(),
  profile_id: v.string(),
  profile_name: v.string(),
  /** The connection. */
  social_account_id: v.string(),
  title: v.string(),
  description: v.nullable(v.string()),
  privacy: v.picklist(BROADCAST_PRIVACIES),
  start_time: v.number(),
  /** Null where the user's own encoder streams. */
  playlist_id: v.nullable(v.string()),
  is_loop: v.boolean(),
  status: BroadcastStatusSchema,
  created_at: v.number(),
  started_at: time,
  ended_at: time,
  /** Why it failed, or was stopped without a request. */
  failure: v.nullable(v.object({ code: v.string(), message: v.string() })),

  /** True once broadcast and stream exist at YouTube and are bound. Until then nobody but its creator sees the session. */
  is_ready: v.boolean(),
  /** When the last request that creates the broadcast, or the stream, was sent: its response may be lost. */
  intents: v.object({ broadcast: time, stream: time }),
  youtube_broadcast_id: v.nullable(v.string()),
  youtube_stream_id: v.nullable(v.string()),
  /** Ingest address without the stream key. */
  rtmp_url: v.nullable(v.string()),
  /** See `shared/broadcasts/stream-key.ts`. */
  sealed_stream_key: v.nullable(v.string()),
  /** When the state at YouTube was last read. */
  checked_at: time,

  /** Number of the current worker, from 1; 0 before the first. A worker with another number must end itself. */
  attempt: v.number(),
  attempt_started_at: time,
  /** The task of the current worker; null until it is known. */
  task_arn: v.nullable(v.string()),
  /** Workers that took the place of a dead one. */
  replacements: v.number(),
  heartbeat_at: time,
  worker_state: v.nullable(WorkerStateSchema),
  progress: v.nullable(WorkerProgressSchema),

  /** The worker must end itself. */
  stop_requested: v.boolean(),
  /** Id of the request that stopped it, so that its repetition is recognized. */
  stopped_by: v.nullable(v.string()),
  /** Broadcast and session are deleted once the broadcast has ended. */
  delete_requested: v.boolean(),

  /** The controller's exclusive right to act on the session. */
  lease: v.nullable(v.object({ id: v.string(), until: v.number() })),
  /** Failures in a row of what the controller does next. */
  failures: v.number(),
  /** When the controller acts next; null when nothing is left to do. The sweeper wakes the session when it did not. */
  next_at: time,
  /** Events that are not sent yet. */
  outbox: v.array(BroadcastEventKindSchema),
});
export type Broadcast = v.InferOutput<typeof BroadcastSchema>;

/** Identifies a broadcast. */
export type BroadcastRef = Pick<Broadcast, 'workspace_id' | 'id'>;
