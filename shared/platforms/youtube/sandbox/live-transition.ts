import { badParameter } from './errors.ts';
import { refuseLive } from './live-errors.ts';
import { moveTo, startMoving, type Broadcast } from './live-state.ts';
import type { Channel, YoutubeState } from './state.ts';

/** Returns a broadcast after the start of a transition. Ends the request for one that is not allowed. */
export function transitioned(
  state: YoutubeState,
  { switches }: Channel,
  broadcast: Broadcast,
  to: string,
): Broadcast {
  const now = state.host.now();
  const { stage, monitor, stream_id } = broadcast;
  if (stage === to || broadcast.next?.stage === to) refuseLive('redundantTransition');
  if (to === 'complete') {
    if (stage !== 'live' && stage !== 'testing') refuseLive('invalidTransition');
    return moveTo(broadcast, 'complete', now);
  }
  if (to !== 'live' && to !== 'testing') {
    return badParameter('invalidParameter', 'broadcastStatus', 'Invalid value for broadcastStatus');
  }
  const from = to === 'live' && monitor ? 'testing' : 'ready';
  if (stage !== from || (to === 'testing' && !monitor)) refuseLive('invalidTransition');
  const stream = stream_id === null ? undefined : state.live.streams.get(stream_id);
  if (stream?.status !== 'active') refuseLive('errorStreamInactive');
  return startMoving(broadcast, to, now + switches.live_transition_s * 1000);
}
