import type { Clock } from './clock.ts';
import { blackPicture, pictureBytes, soundBytes, type PictureFormat } from './format.ts';
import type { Player } from './playlist/player.ts';
import type { Heartbeat } from './reporter.ts';
import type { Publisher } from './rtmp/publisher.ts';

/** What was streamed so far. */
export interface Progress {
  /** Counts a tick and returns it; for null the last picture in silence. */
  add: (tick: Buffer | null, clock: Clock) => Buffer;
  figures: () => Pick<Heartbeat, 'streamed_ms' | 'filler_ms' | 'behind_ms'>;
}

/** Counts the ticks of a stream. Before the first picture, it shows a black one. */
export function createProgress(format: PictureFormat): Progress {
  let last: Buffer = Buffer.concat([blackPicture(format), Buffer.alloc(soundBytes(format))]);
  let ticks = 0;
  let fillers = 0;
  let behind_ms = 0;
  const toMs = (count: number) => Math.round((count * 1000) / format.fps);
  return {
    add: (tick, clock) => {
      ticks += 1;
      behind_ms = clock.behind_ms();
      if (tick) return (last = tick);
      fillers += 1;
      return last.fill(0, pictureBytes(format));
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
