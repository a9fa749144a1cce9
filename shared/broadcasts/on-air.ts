import type { Broadcast } from '../model/broadcast.ts';
import { MINUTE, SECOND } from '../time/instant.ts';
import { ending, type Ending, type StepContext } from './run.ts';
import { goneLive } from './transitions.ts';

/** How long a new broadcast may be missing in the platform's lists. */
const UNSEEN_MS = 1 * MINUTE;
/** How long the platform is left alone while it moves a broadcast to live. */
export const MOVING_MS = 3 * SECOND;

/** `waiting`: the platform receives no stream yet. `moving`: it is taking the broadcast on air. */
type Progress = 'live' | 'moving' | 'waiting';

/** Takes a broadcast on air once the platform receives its stream. Throws PlatformError. */
export async function goOnAir({ held, call, services }: StepContext): Promise<Progress | Ending> {
  const { id, streamId } = idsOf(held.broadcast);
  const now = services.now();
  const stage = await call(calls => calls.stageOf(id));
  switch (stage) {
    case 'live':
      await held.save(goneLive(held.broadcast, now));
      return 'live';
    case 'starting':
      return 'moving';
    case 'created':
    case 'ready':
      if (!(await call(calls => calls.isReceiving(streamId)))) return 'waiting';
      await call(calls => calls.goLive(id));
      return 'moving';
    case 'gone':
      return now - held.broadcast.created_at < UNSEEN_MS ? 'waiting' : endedElsewhere('stopped');
    case 'complete':
    case 'revoked':
      return endedElsewhere('stopped');
  }
}

/** Returns why a live broadcast is over at the platform; null while it is not. Throws PlatformError. */
export async function checkOnAir({ held, call, services }: StepContext): Promise<Ending | null> {
  const { id } = idsOf(held.broadcast);
  const stage = await call(calls => calls.stageOf(id));
  await held.save({ checked_at: services.now() });
  if (stage === 'complete') return ending('completed');
  return stage === 'gone' || stage === 'revoked' ? endedElsewhere('failed') : null;
}

const endedElsewhere = (status: 'stopped' | 'failed') =>
  ending(status, 'ENDED_AT_PLATFORM', 'The broadcast was ended or deleted on YouTube');

/** Ids of a broadcast that is set up. */
function idsOf({ youtube_broadcast_id, youtube_stream_id }: Broadcast): { id: string; streamId: string } {
  if (youtube_broadcast_id === null || youtube_stream_id === null) {
    throw new Error('The broadcast is not set up at the platform');
  }
  return { id: youtube_broadcast_id, streamId: youtube_stream_id };
}
