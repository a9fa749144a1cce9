import type { Delivery } from '../model/webhook.ts';
import type { Services } from '../runtime/services.ts';
import { createDelivery } from '../store/webhooks.ts';
import { deliveryMessage } from './messages.ts';
import { sendEventMessage } from './publish.ts';

/** Stores a delivery and puts its note on the queue. A repetition stores nothing new and sends the note again. */
export async function enqueueDelivery(
  services: Pick<Services, 'table' | 'sqs' | 'setting'>,
  delivery: Delivery,
): Promise<void> {
  await createDelivery(services.table, delivery);
  await sendEventMessage(services, deliveryMessage(delivery));
}
