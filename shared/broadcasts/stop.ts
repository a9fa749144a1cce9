import type { BroadcastRef, BroadcastStatus } from '../model/broadcast.ts';
import type { Services } from '../runtime/services.ts';
import { getBroadcast, stopBroadcast, unsettledBroadcastsOf } from '../store/broadcasts.ts';
import { wakeNow } from './messages.ts';
import { stopped } from './transitions.ts';

/**
 * Ends a broadcast at a request. The controller, once woken, stops its worker and ends it at the platform. Returns the status
 * and whether this request ended it; null where there is no such broadcast.
 */
export async function requestStop(
  { table, now }: Pick<Services, 'table' | 'now'>,
  ref: BroadcastRef,
  { delete_broadcast, request_id }: { delete_broadcast: boolean; request_id: string },
): Promise<{ status: BroadcastStatus; is_stopped: boolean } | null> {
  for (;;) {
    const broadcast = await getBroadcast(table, ref);
    if (!broadcast?.is_ready || broadcast.delete_requested) return null;
    const changes = stopped(broadcast, now());
    if (changes === null) return { status: broadcast.status, is_stopped: false };
    const request = { delete_requested: delete_broadcast, stopped_by: request_id };
    // Null: the controller moved it on meanwhile.
    if (await stopBroadcast(table, broadcast, { ...changes, ...request })) {
      return { status: changes.status, is_stopped: true };
    }
  }
}

/** Ends the broadcasts of a profile that is being deleted. Returns true once nothing of them is left to do. */
export async function endBroadcasts(
  services: Pick<Services, 'table' | 'now' | 'sqs' | 'setting'>,
  { workspace_id, profile_id }: { workspace_id: string; profile_id: string },
): Promise<boolean> {
  const unsettled = await unsettledBroadcastsOf(services.table, workspace_id, profile_id);
  for (const broadcast of unsettled) {
    await requestStop(services, broadcast, { delete_broadcast: false, request_id: profile_id });
    await wakeNow(services, broadcast);
  }
  return unsettled.length === 0;
}
