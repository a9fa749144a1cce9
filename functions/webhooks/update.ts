import * as v from 'valibot';
import { idParam, route } from '../../shared/http/define-route.ts';
import { updateWebhook as storeChanges } from '../../shared/store/webhooks.ts';
import { descriptionField, assertReceiver, eventsField, urlField } from './fields.ts';
import { findOwnWebhook, webhookNotFound } from './find.ts';
import { WebhookView, webhookView } from './view.ts';

/** Enabling a webhook or changing its URL resets its health. */
const HEALTHY = { failing_since: null, paused_until: null };

export const updateWebhook = route({
  method: 'PATCH',
  path: '/webhooks/{id}',
  operation_id: 'updateWebhook',
  summary: 'Update, enable or disable a webhook',
  tag: 'Webhooks',
  auth: 'key',
  access: 'creator',
  params: idParam,
  refuses_unknown: true,
  body: {
    url: v.exactOptional(urlField),
    events: v.exactOptional(eventsField),
    description: v.exactOptional(descriptionField),
    active: v.exactOptional(v.boolean()),
  },
  responses: {
    200: { description: 'The updated webhook', schema: v.object({ webhook: WebhookView }) },
    404: { description: 'Webhook not found' },
  },
  handler: async ({ params, body, principal }, services) => {
    await findOwnWebhook(services, principal, params.id);
    if (body.url !== undefined) await assertReceiver(body.url);
    const changes = {
      ...body,
      ...(body.active === true ? { disabled_reason: null } : {}),
      ...(body.active === true || body.url !== undefined ? HEALTHY : {}),
      updated_at: services.now(),
    };
    const webhook = await storeChanges(services.table, principal.workspace_id, params.id, changes);
    if (!webhook) throw webhookNotFound();
    return { status: 200, body: { webhook: webhookView(webhook) } };
  },
});
