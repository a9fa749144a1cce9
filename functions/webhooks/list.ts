import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { listWebhooks as readWebhooks } from '../../shared/store/webhooks.ts';
import { WebhookView, webhookView } from './view.ts';

export const listWebhooks = route({
  method: 'GET',
  path: '/webhooks',
  operation_id: 'listWebhooks',
  summary: 'List the webhooks of the workspace, oldest first',
  tag: 'Webhooks',
  auth: 'key',
  responses: {
    200: { description: 'All webhooks', schema: v.object({ webhooks: v.array(WebhookView) }) },
  },
  handler: async ({ principal }, services) => {
    const webhooks = await readWebhooks(services.table, principal.workspace_id);
    return { status: 200, body: { webhooks: webhooks.map(webhookView) } };
  },
});
