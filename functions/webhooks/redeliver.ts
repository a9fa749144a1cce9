import * as v from 'valibot';
import { enqueueDelivery } from '../../shared/events/enqueue.ts';
import { assertCreator } from '../../shared/http/access.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import { notFound } from '../../shared/http/errors.ts';
import type { Delivery } from '../../shared/model/webhook.ts';
import { DELIVERY_RETENTION, getDelivery } from '../../shared/store/webhook-deliveries.ts';
import { findActiveWebhook } from './find.ts';
import { DeliveryView, deliveryView } from './view.ts';

export const redeliver = route({
  method: 'POST',
  path: '/webhooks/{id}/deliveries/{delivery_id}/redeliver',
  operation_id: 'repeatWebhookDelivery',
  summary: 'Redeliver an event with the same id and the same bytes',
  tag: 'Webhooks',
  auth: 'key',
  access: 'creator',
  creates: true,
  params: { ...idParam, delivery_id: v.string() },
  responses: {
    202: { description: 'The new delivery', schema: v.object({ delivery: DeliveryView }) },
    404: { description: 'Webhook or delivery not found' },
    409: { description: 'The webhook is disabled', codes: ['WEBHOOK_DISABLED'] },
  },
  handler: async ({ params, principal, newResourceId, asked_at }, services) => {
    const webhook = await findActiveWebhook(services, principal, params.id);
    assertCreator(principal, webhook.created_by, 'webhooks');
    const ref = { webhook_id: webhook.id, delivery_id: params.delivery_id };
    const original = await getDelivery(services.table, ref);
    if (!original || original.created_at + DELIVERY_RETENTION <= services.now()) throw notFound('Delivery');
    const delivery = repetitionOf(newResourceId(), original, asked_at);
    await enqueueDelivery(services, delivery);
    return { status: 202, body: { delivery: deliveryView(delivery) } };
  },
});

function repetitionOf(id: string, original: Delivery, now: number): Delivery {
  return {
    ...original,
    delivery_id: id,
    status: 'pending',
    attempts: [],
    next_attempt_at: now,
    redelivery_of: original.redelivery_of ?? original.delivery_id,
    created_at: now,
  };
}
