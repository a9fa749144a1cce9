import { enqueueDelivery } from '../../shared/events/enqueue.ts';
import type { EventsNote } from '../../shared/events/note.ts';
import { newDelivery, wants } from '../../shared/model/webhook.ts';
import { listWebhooks } from '../../shared/store/webhooks.ts';
import { attemptDelivery, type Dispatcher } from './attempt.ts';

/** Does what a note of the events queue asks for. A receiver's failure is an outcome; only our own faults are thrown. */
export function work(note: EventsNote, dispatcher: Dispatcher): Promise<void> {
  return note.kind === 'event' ? fanOut(note, dispatcher) : attemptDelivery(note, dispatcher);
}

/** Makes one delivery for each webhook that wants the event. Safe to repeat: the ids are derived. */
async function fanOut(
  { workspace_id, event }: Extract<EventsNote, { kind: 'event' }>,
  { services }: Dispatcher,
): Promise<void> {
  const webhooks = await listWebhooks(services.table, workspace_id);
  const wanting = webhooks.filter(webhook => wants(webhook, event));
  await Promise.all(
    wanting.map(webhook => enqueueDelivery(services, newDelivery(event, webhook, services.now()))),
  );
}
