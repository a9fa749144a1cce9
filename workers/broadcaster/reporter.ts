import type { ItemFailure } from './item-error.ts';
import type { IngestState } from './rtmp/publisher.ts';

/** How an item went. */
export interface ItemReport {
  item_id: string;
  /** Position in the playlist, from 0. */
  index: number;
  /** `skipped`: no part of the item was shown; `incomplete`: only a part of it. */
  outcome: 'played' | 'incomplete' | 'skipped';
  played_ms: number;
  /** As the file declares it; null where unknown. */
  duration_ms: number | null;
  /** How long the stream showed its last picture because the item was late. */
  waited_ms: number;
  failure: ItemFailure | null;
}

/** What a broadcast does at the moment. */
export interface Heartbeat {
  state: 'starting' | 'live' | 'reconnecting';
  /** Position of the item that is shown; null before the first and between items. */
  item_index: number | null;
  /** Length of the stream so far. */
  streamed_ms: number;
  /** How much of it repeats a picture in silence, because no item had any. */
  filler_ms: number;
  /** How far the stream fell behind the clock, because the machine was too slow or stood still. */
  behind_ms: number;
  ingest: IngestState;
}

/** Receives what happens in a broadcast. */
export interface Reporter {
  /** Called regularly and at each change of state. `stop` ends the broadcast; so do several rejections in a row. */
  heartbeat: (beat: Heartbeat) => Promise<'continue' | 'stop'>;
  /** Called with the final figures when nothing more is sent. */
  final: (beat: Heartbeat) => void;
  /** Called when an item has ended. */
  item: (report: ItemReport) => void;
}

/** How a broadcast ended. */
export interface BroadcastEnd {
  /** `completed`: the playlist has ended; `stopped`: somebody stopped it, or nobody hears its heartbeats. */
  state: 'completed' | 'stopped' | 'failed';
  error: { code: 'INGEST_LOST' | 'NO_PLAYABLE_ITEM' | 'HEARTBEAT_LOST'; message: string } | null;
}
