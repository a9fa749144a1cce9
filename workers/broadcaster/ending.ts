import type { Heartbeats } from './heartbeats.ts';
import type { Player } from './playlist/player.ts';
import type { BroadcastEnd } from './reporter.ts';
import type { Publisher } from './rtmp/publisher.ts';
import type { Timer } from './timer.ts';

interface Sources {
  player: Player;
  publisher: Publisher;
  heartbeats: Heartbeats;
  signal: AbortSignal;
  timer: Timer;
  /** How long the ingest may be away. */
  ingest_ms: number;
}

type Code = NonNullable<BroadcastEnd['error']>['code'];

/** Returns a function that tells whether and how the broadcast ends now. */
export function createEnding({
  player,
  publisher,
  heartbeats,
  signal,
  timer,
  ingest_ms,
}: Sources): () => BroadcastEnd | null {
  let connectedAt = timer.now();
  return () => {
    const ingest = publisher.state();
    if (ingest.is_connected) connectedAt = timer.now();
    const heard = heartbeats.end();
    if (signal.aborted || heard === 'stopped') return { state: 'stopped', error: null };
    // Not a failure of the broadcast: another worker can go on with it.
    if (heard === 'lost') return ended('stopped', 'HEARTBEAT_LOST', 'The heartbeats were rejected');
    if (timer.now() - connectedAt > ingest_ms)
      return ended('failed', 'INGEST_LOST', ingest.last_error ?? 'The ingest did not accept the stream');
    const failure = player.failure();
    if (failure) return ended('failed', 'NO_PLAYABLE_ITEM', `${failure.code}: ${failure.message}`);
    return player.hasEnded() ? { state: 'completed', error: null } : null;
  };
}

const ended = (state: BroadcastEnd['state'], code: Code, message: string): BroadcastEnd => ({
  state,
  error: { code, message },
});
