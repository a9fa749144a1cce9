import * as v from 'valibot';
import { seal } from '../../shared/aws/key-ring.ts';
import { newSecret } from '../../shared/events/signature.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import { conflict } from '../../shared/http/errors.ts';
import { ROTATION_OVERLAP_MS } from '../../shared/model/webhook.ts';
import { updateWebhook } from '../../shared/store/webhooks.ts';
import { toIso } from '../../shared/time/instant.ts';
import { findWebhook } from './find.ts';
import { WebhookView, webhookView } from './view.ts';

export const rotateSecret = route({
  method: 'POST',
  path: '/webhooks/{id}/rotate-secret',
  operation_id: 'rotateSecret',
  summary: 'Replace the signing secret; the old one signs too for 24 hours',
  tag: 'Webhooks',
  auth: 'key',
  // A lost answer would be a lost secret.
  creates: true,
  params: idParam,
  responses: {
    200: {
      description: 'The new secret, shown this once',
      schema: v.object({
        webhook: WebhookView,
        signing_secret: v.string(),
        previous_secret_expires_at: v.string(),
      }),
    },
    404: { description: 'No such webhook' },
    409: { description: 'The secret was rotated by another request at the same time' },
  },
  handler: async ({ params, principal }, services) => {
    const before = await findWebhook(services, principal, params.id);
    const now = services.now();
    const secret = newSecret();
    const expires_at = now + ROTATION_OVERLAP_MS;
    const changes = {
      sealed_secret: seal(await services.keyRing(), before.id, secret),
      previous_secret: { sealed: before.sealed_secret, expires_at },
      updated_at: now,
    };
    const { workspace_id, id, sealed_secret } = before;
    const webhook = await updateWebhook(services.table, workspace_id, id, changes, sealed_secret);
    if (!webhook) throw conflict('The webhook was changed at the same time', { code: 'WEBHOOK_CHANGED' });
    return {
      status: 200,
      body: {
        webhook: webhookView(webhook),
        signing_secret: secret,
        previous_secret_expires_at: toIso(expires_at),
      },
    };
  },
});
