import * as v from 'valibot';
import { enqueueDelivery } from '../../shared/events/enqueue.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import type { ServiceEvent } from '../../shared/model/event.ts';
import { newDelivery, type Webhook } from '../../shared/model/webhook.ts';
import { toIso } from '../../shared/time/instant.ts';
import { findActiveWebhook } from './find.ts';
import { DeliveryView, deliveryView } from './view.ts';

export const testWebhook = route({
  method: 'POST',
  path: '/webhooks/{id}/test',
  operation_id: 'testWebhook',
  summary: 'Send a webhook.test event to a webhook',
  tag: 'Webhooks',
  auth: 'key',
  creates: true,
  params: idParam,
  responses: {
    202: { description: 'The delivery', schema: v.object({ delivery: DeliveryView }) },
    404: { description: 'Webhook not found' },
    409: { description: 'The webhook is disabled', codes: ['WEBHOOK_DISABLED'] },
  },
  handler: async ({ params, principal, newResourceId, asked_at }, services) => {
    const webhook = await findActiveWebhook(services, principal, params.id);
    const delivery = newDelivery(testEvent(newResourceId(), webhook, asked_at), webhook, asked_at);
    await enqueueDelivery(services, delivery);
    return { status: 202, body: { delivery: deliveryView(delivery) } };
  },
});

function testEvent(id: string, webhook: Webhook, now: number): ServiceEvent {
  return {
    event: 'webhook.test',
    id,
    timestamp: toIso(now),
    data: { webhook_id: webhook.id, message: 'Your webhook works.' },
  };
}
