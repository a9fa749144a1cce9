import type { Delivery } from '../model/webhook.ts';
import type { Services } from '../runtime/services.ts';
import { createDelivery } from '../store/webhook-deliveries.ts';
import { deliveryMessage } from './messages.ts';
import { sendEventMessage } from './publish.ts';

/** Stores a delivery and sends its message. Safe to repeat: the delivery is stored once, the message is sent again. */
export async function enqueueDelivery(
  services: Pick<Services, 'table' | 'sqs' | 'setting'>,
  delivery: Delivery,
): Promise<void> {
  await createDelivery(services.table, delivery);
  await sendEventMessage(services, deliveryMessage(delivery));
}
