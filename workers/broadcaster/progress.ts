import type { Clock } from './clock.ts';
import type { PictureFormat } from './format.ts';
import type { Player } from './playlist/player.ts';
import type { Heartbeat } from './reporter.ts';
import type { Publisher } from './rtmp/publisher.ts';

/** What was streamed so far. */
export interface Progress {
  /** Counts a tick; `isFiller`: no item had one. */
  add: (isFiller: boolean, clock: Clock) => void;
  figures: () => Pick<Heartbeat, 'streamed_ms' | 'filler_ms' | 'behind_ms'>;
}

/** Counts the ticks of a stream. */
export function createProgress(format: PictureFormat): Progress {
  let ticks = 0;
  let fillers = 0;
  let behind_ms = 0;
  const toMs = (count: number) => Math.round((count * 1000) / format.fps);
  return {
    add: (isFiller, clock) => {
      ticks += 1;
      if (isFiller) fillers += 1;
      behind_ms = clock.behind_ms();
    },
    figures: () => ({ streamed_ms: toMs(ticks), filler_ms: toMs(fillers), behind_ms }),
  };
}

/** Returns the heartbeat of a broadcast. */
export function describe(progress: Progress, player: Player, publisher: Publisher): Heartbeat {
  const figures = progress.figures();
  const ingest = publisher.state();
  const live = ingest.is_connected ? 'live' : 'reconnecting';
  const state = figures.streamed_ms === 0 ? 'starting' : live;
  return { state, item_index: player.itemIndex(), ...figures, ingest };
}
