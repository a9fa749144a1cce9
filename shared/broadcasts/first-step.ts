import type { Broadcast } from '../model/broadcast.ts';
import { MINUTE } from '../time/instant.ts';

/** How much earlier than the broadcast its worker is started: it takes up to a minute to be ready. */
const WORKER_LEAD_MS = 2 * MINUTE;
/** The user's own encoder may begin this early. */
const ENCODER_LEAD_MS = 1 * MINUTE;

/** Returns when the controller acts on a new broadcast first, epoch milliseconds. */
export function firstStepAt({
  playlist_id,
  start_time,
}: Pick<Broadcast, 'playlist_id' | 'start_time'>): number {
  return start_time - (playlist_id === null ? ENCODER_LEAD_MS : WORKER_LEAD_MS);
}
