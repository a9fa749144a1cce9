import type { ServiceEvent } from '../../shared/model/event.ts';
import type { EventMessage } from '../../shared/events/messages.ts';
import { newDelivery, isSubscribed, type Webhook } from '../../shared/model/webhook.ts';
import { settleAll } from '../../shared/runtime/settle-all.ts';
import { createDelivery, listWebhooks } from '../../shared/store/webhooks.ts';
import { attempt, attemptDelivery, type Dispatcher } from './attempt.ts';

/** Processes a message of the events queue. Failures of receivers are recorded as outcomes; only internal errors are thrown. */
export function work(message: EventMessage, dispatcher: Dispatcher): Promise<void> {
  return message.kind === 'events' ? fanOut(message, dispatcher) : attemptDelivery(message, dispatcher);
}

/**
 * Creates one delivery for each event and subscribed webhook and makes its first attempt. Safe to repeat: the ids are
 * derived, and a delivery that was attempted is not due again. An error at one webhook does not stop the others.
 */
async function fanOut(
  { workspace_id, events }: Extract<EventMessage, { kind: 'events' }>,
  dispatcher: Dispatcher,
): Promise<void> {
  const webhooks = await listWebhooks(dispatcher.services.table, workspace_id);
  const deliveries = events.flatMap(event =>
    webhooks
      .filter(webhook => isSubscribed(webhook, event))
      .map(webhook => deliverFirst(event, webhook, dispatcher)),
  );
  await settleAll(deliveries);
}

async function deliverFirst(event: ServiceEvent, webhook: Webhook, dispatcher: Dispatcher): Promise<void> {
  const { table, now } = dispatcher.services;
  const delivery = newDelivery(event, webhook, now());
  const isNew = await createDelivery(table, delivery);
  await (isNew ? attempt(delivery, webhook, dispatcher) : attemptDelivery(delivery, dispatcher));
}
