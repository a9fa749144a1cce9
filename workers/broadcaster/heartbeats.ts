import type { Heartbeat, Reporter } from './reporter.ts';

export interface Heartbeats {
  /** Sends one now. */
  beat: () => void;
  /** Why the broadcast must end: somebody stopped it, or nobody hears it. Null while it may go on. */
  end: () => 'stopped' | 'lost' | null;
  stop: () => void;
}

/** After so many rejections in a row, another worker may have been started for this broadcast. */
const MAX_REJECTIONS = 4;

/** Sends a heartbeat every `everyMs`. One that is not answered until the next is due counts as rejected. */
export function startHeartbeats(reporter: Reporter, describe: () => Heartbeat, everyMs: number): Heartbeats {
  let rejections = 0;
  let isStopped = false;
  let isAnswered = true;

  function beat(): void {
    isAnswered = false;
    reporter.heartbeat(describe()).then(
      answer => {
        isAnswered = true;
        rejections = 0;
        isStopped ||= answer === 'stop';
      },
      () => {
        isAnswered = true;
        rejections += 1;
      },
    );
  }

  const timer = setInterval(() => {
    if (!isAnswered) rejections += 1;
    beat();
  }, everyMs);
  return {
    beat,
    end: () => (isStopped ? 'stopped' : rejections >= MAX_REJECTIONS ? 'lost' : null),
    stop: () => clearInterval(timer),
  };
}
