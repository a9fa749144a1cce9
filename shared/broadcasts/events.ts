import { broadcastEvent } from '../events/broadcast.ts';
import { sendEvents } from '../events/publish.ts';
import type { StepContext } from './run.ts';

/** Sends the events that are stored with the broadcast, then removes them. A repetition sends the same events. */
export async function sendBroadcastEvents({ held, services }: StepContext): Promise<void> {
  const { outbox, workspace_id } = held.broadcast;
  if (outbox.length === 0) return;
  const events = outbox.map(kind => broadcastEvent(held.broadcast, kind));
  await sendEvents(services, events, workspace_id);
  await held.save({ outbox: [] });
}
