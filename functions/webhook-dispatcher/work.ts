import type { ServiceEvent } from '../../shared/model/event.ts';
import type { EventMessage } from '../../shared/events/messages.ts';
import { newDelivery, wants, type Webhook } from '../../shared/model/webhook.ts';
import { createDelivery, listWebhooks } from '../../shared/store/webhooks.ts';
import { attempt, attemptDelivery, type Dispatcher } from './attempt.ts';

/** Does what a note of the events queue asks for. A receiver's failure is an outcome; only our own faults are thrown. */
export function work(message: EventMessage, dispatcher: Dispatcher): Promise<void> {
  return message.kind === 'event' ? fanOut(message, dispatcher) : attemptDelivery(message, dispatcher);
}

/**
 * Makes one delivery for each webhook that wants the event, and its first attempt at once. Safe to repeat: the ids are
 * derived, and a delivery that was attempted is not due again. A fault at one of them does not end the others.
 */
async function fanOut(
  { workspace_id, event }: Extract<EventMessage, { kind: 'event' }>,
  dispatcher: Dispatcher,
): Promise<void> {
  const webhooks = await listWebhooks(dispatcher.services.table, workspace_id);
  const wanting = webhooks.filter(webhook => wants(webhook, event));
  const results = await Promise.allSettled(wanting.map(webhook => deliverFirst(event, webhook, dispatcher)));
  const fault = results.find(result => result.status === 'rejected');
  if (fault) throw fault.reason;
}

async function deliverFirst(event: ServiceEvent, webhook: Webhook, dispatcher: Dispatcher): Promise<void> {
  const { table, now } = dispatcher.services;
  const delivery = newDelivery(event, webhook, now());
  const isNew = await createDelivery(table, delivery);
  await (isNew ? attempt(delivery, webhook, dispatcher) : attemptDelivery(delivery, dispatcher));
}
