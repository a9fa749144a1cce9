import * as v from 'valibot';
import { seal } from '../../shared/aws/key-ring.ts';
import { newSecret } from '../../shared/events/signature.ts';
import { route } from '../../shared/http/define-route.ts';
import { conflict } from '../../shared/http/errors.ts';
import { DEFAULT_EVENT_KINDS } from '../../shared/model/event.ts';
import { MAX_WEBHOOKS, type Webhook } from '../../shared/model/webhook.ts';
import { createWebhook as storeWebhook } from '../../shared/store/webhooks.ts';
import { assertReceiver, descriptionField, eventsField, urlField } from './fields.ts';
import { WebhookView, webhookView } from './view.ts';

export const createWebhook = route({
  method: 'POST',
  path: '/webhooks',
  operation_id: 'createWebhook',
  summary: 'Create a webhook; its signing secret is shown only now',
  tag: 'Webhooks',
  auth: 'key',
  refuses_unknown: true,
  body: {
    url: urlField,
    events: v.optional(eventsField, [...DEFAULT_EVENT_KINDS]),
    description: v.optional(descriptionField, null),
  },
  responses: {
    201: {
      description: 'The webhook and its signing secret',
      schema: v.object({ webhook: WebhookView, signing_secret: v.string() }),
    },
    409: { description: `The workspace already has ${MAX_WEBHOOKS} webhooks`, codes: ['WEBHOOK_LIMIT'] },
  },
  handler: async ({ body, principal, newResourceId, asked_at }, services) => {
    await assertReceiver(body.url);
    const id = newResourceId();
    const secret = newSecret();
    const webhook: Webhook = {
      id,
      workspace_id: principal.workspace_id,
      created_by: principal.user_id,
      ...body,
      active: true,
      disabled_reason: null,
      failing_since: null,
      paused_until: null,
      sealed_secret: seal(await services.keyRing(), id, secret),
      previous_secret: null,
      created_at: asked_at,
      updated_at: asked_at,
    };
    if (!(await storeWebhook(services.table, webhook))) {
      throw conflict(`A workspace can have at most ${MAX_WEBHOOKS} webhooks. Delete one first.`, {
        code: 'WEBHOOK_LIMIT',
        limit: MAX_WEBHOOKS,
      });
    }
    return { status: 201, body: { webhook: webhookView(webhook), signing_secret: secret } };
  },
});
