import * as v from 'valibot';
import { idParam, route } from '../../shared/http/define-route.ts';
import { findWebhook } from './find.ts';
import { WebhookView, webhookView } from './view.ts';

export const getWebhook = route({
  method: 'GET',
  path: '/webhooks/{id}',
  operation_id: 'getWebhook',
  summary: 'Get a webhook',
  tag: 'Webhooks',
  auth: 'key',
  params: idParam,
  responses: {
    200: { description: 'The webhook', schema: v.object({ webhook: WebhookView }) },
    404: { description: 'Webhook not found' },
  },
  handler: async ({ params, principal }, services) => ({
    status: 200,
    body: { webhook: webhookView(await findWebhook(services, principal, params.id)) },
  }),
});
