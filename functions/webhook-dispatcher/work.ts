import type { ServiceEvent } from '../../shared/model/event.ts';
import type { EventMessage } from '../../shared/events/messages.ts';
import { newDelivery, isSubscribed, type Webhook } from '../../shared/model/webhook.ts';
import { settleAll } from '../../shared/runtime/settle-all.ts';
import { createAttempted, createDelivery, getDelivery } from '../../shared/store/webhook-deliveries.ts';
import { listWebhooks } from '../../shared/store/webhooks.ts';
import { attempt, attemptDelivery, type Dispatcher } from './attempt.ts';

/** Processes a message of the events queue. Failures of receivers are recorded as outcomes; only internal errors are thrown. */
export function work(message: EventMessage, dispatcher: Dispatcher): Promise<void> {
  return message.kind === 'events' ? fanOut(message, dispatcher) : attemptDelivery(message, dispatcher);
}

/**
 * Makes the first attempt of the delivery of each event to each subscribed webhook. Safe to repeat: the ids are derived, and
 * a delivery that was attempted is not due again. An error at one webhook does not stop the others.
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

/**
 * Until its first attempt has ended, the message of the event stands for a delivery: a write less than storing it before. After
 * an error it is stored, so that the sweeper goes on when the queue no longer does.
 */
async function deliverFirst(event: ServiceEvent, webhook: Webhook, dispatcher: Dispatcher): Promise<void> {
  const { table, now } = dispatcher.services;
  const delivery = newDelivery(event, webhook, now());
  // A repetition at the same moment would not find the delivery either way: its first attempt has not ended.
  const earlier = await getDelivery(table, delivery, { consistent: false });
  if (earlier) return attemptDelivery(delivery, dispatcher);
  try {
    await attempt(delivery, webhook, dispatcher, createAttempted);
  } catch (error) {
    await createDelivery(table, delivery);
    throw error;
  }
}
