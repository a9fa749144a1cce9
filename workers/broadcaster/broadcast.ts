import { MINUTE, SECOND } from '../../shared/time/instant.ts';
import { startClock } from './clock.ts';
import { openCopier } from './encoder/copier.ts';
import { openEncoder } from './encoder/encoder.ts';
import { createEnding } from './ending.ts';
import type { CopiedPictures, StreamFormat } from './format.ts';
import { startHeartbeats } from './heartbeats.ts';
import type { DecoderSettings } from './playlist/decoder-process.ts';
import type { PlaylistItem } from './playlist/open-item.ts';
import { createPlayer } from './playlist/player.ts';
import { createProgress, describe } from './progress.ts';
import type { BroadcastEnd, Reporter } from './reporter.ts';
import type { IngestAddress } from './rtmp/address.ts';
import { createPublisher } from './rtmp/publisher.ts';
import { REAL_TIME, type Timer } from './timer.ts';

export interface Broadcast {
  items: readonly PlaylistItem[];
  /** Repeats the playlist until the broadcast is stopped. */
  is_loop: boolean;
  format: StreamFormat;
  /** Sends the pictures as they are, because a survey found that all items allow it; null: encodes them. */
  copied: CopiedPictures | null;
  ingest: IngestAddress;
  decoder: DecoderSettings;
  reporter: Reporter;
  /** Stops the broadcast. */
  signal: AbortSignal;
  limits?: Partial<BroadcastLimits>;
  /** For tests: the time that paces the stream, and that an ingest may be away. */
  timer?: Timer;
}

export interface BroadcastLimits {
  heartbeat_ms: number;
  /** Without an ingest for so long, the broadcast fails. */
  ingest_ms: number;
  /** Without progress for so long while bytes wait, the connection to the ingest is given up. */
  ingest_stall_ms: number;
}

const LIMITS: BroadcastLimits = {
  heartbeat_ms: 15 * SECOND,
  ingest_ms: 10 * MINUTE,
  ingest_stall_ms: 10 * SECOND,
};

/** Of stream that may wait for the ingest. */
const QUEUE_S = 4;
const SOUND_BIT_RATE = 128_000;
const POLL_MS = 20;

/**
 * Sends the items of a playlist to an ingest at the pace of real time, as one unbroken stream. Item errors are reported and
 * skipped, and a lost ingest is connected to again. Resolves when the playlist has ended, somebody stopped the broadcast, or
 * it cannot go on. Throws only when the stream cannot be written.
 */
export async function runBroadcast(broadcast: Broadcast): Promise<BroadcastEnd> {
  const { format, copied, reporter, signal, timer = REAL_TIME } = broadcast;
  const limits = { ...LIMITS, ...broadcast.limits };
  const player = createPlayer({ ...broadcast, onItem: reporter.item });
  let needsKey = false;
  const publisher = createPublisher({
    ingest: broadcast.ingest,
    max_queued: (QUEUE_S * ((copied ?? format).bit_rate + SOUND_BIT_RATE)) / 8,
    stall_ms: limits.ingest_stall_ms,
    timer,
    onConnected: () => {
      needsKey = true;
      heartbeats.beat();
    },
    onLost: () => heartbeats.beat(),
  });
  const heartbeats = startHeartbeats(
    reporter,
    () => describe(progress, player, publisher),
    limits.heartbeat_ms,
  );
  const progress = createProgress(format);
  const writer = await (copied
    ? openCopier(format, copied, publisher.send)
    : openEncoder(format, publisher.send));
  const ending = createEnding({ player, publisher, signal, heartbeats, timer, ingest_ms: limits.ingest_ms });

  async function sendTicks(): Promise<BroadcastEnd> {
    let end = ending();
    // The stream begins with its first picture, once the ingest takes it.
    while (!end && !(player.isReady() && publisher.state().is_connected)) {
      await timer.sleep(POLL_MS);
      end = ending();
    }
    const clock = startClock(format.fps, timer);
    let hasBegun = false;
    for (; !end; end = ending()) {
      await clock.next();
      const tick = player.take();
      if (player.hasEnded()) continue;
      const isKey = needsKey;
      needsKey = false;
      progress.add(tick === null, clock);
      await writer.write(tick, isKey);
      if (!hasBegun) heartbeats.beat();
      hasBegun = true;
    }
    return end;
  }

  try {
    const end = await sendTicks();
    await writer.finish();
    reporter.final(describe(progress, player, publisher));
    return end;
  } finally {
    heartbeats.stop();
    await Promise.all([player.stop(), publisher.stop()]);
  }
}
