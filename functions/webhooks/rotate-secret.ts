import * as v from 'valibot';
import { seal } from '../../shared/aws/key-ring.ts';
import { newSecret } from '../../shared/events/signature.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import { conflict } from '../../shared/http/errors.ts';
import { ROTATION_OVERLAP_MS, type Webhook } from '../../shared/model/webhook.ts';
import { updateWebhook } from '../../shared/store/webhooks.ts';
import { toIso } from '../../shared/time/instant.ts';
import { findOwnWebhook } from './find.ts';
import { WebhookView, webhookView } from './view.ts';

export const rotateSecret = route({
  method: 'POST',
  path: '/webhooks/{id}/rotate-secret',
  operation_id: 'rotateWebhookSecret',
  summary: 'Rotate the signing secret; the previous one signs, too, for 24 hours',
  tag: 'Webhooks',
  auth: 'key',
  access: 'creator',
  // Idempotent: a lost answer would be a lost secret.
  creates: true,
  params: idParam,
  responses: {
    200: {
      description: 'The new secret, shown only now',
      schema: v.object({
        webhook: WebhookView,
        signing_secret: v.string(),
        previous_secret_expires_at: v.string(),
      }),
    },
    404: { description: 'Webhook not found' },
    409: { description: 'Another request rotated the secret at the same time', codes: ['WEBHOOK_CHANGED'] },
  },
  handler: async ({ params, principal, newResourceId, asked_at }, services) => {
    const before = await findOwnWebhook(services, principal, params.id);
    const secret = newSecret();
    const previous = previousSecret(newResourceId(), before, asked_at);
    const changes = {
      sealed_secret: seal(await services.keyRing(), before.id, secret),
      previous_secret: previous,
      updated_at: asked_at,
    };
    const { workspace_id, id, sealed_secret } = before;
    const webhook = await updateWebhook(services.table, workspace_id, id, changes, { sealed_secret });
    if (!webhook)
      throw conflict('Another request rotated the secret at the same time', { code: 'WEBHOOK_CHANGED' });
    return {
      status: 200,
      body: {
        webhook: webhookView(webhook),
        signing_secret: secret,
        previous_secret_expires_at: toIso(previous.expires_at),
      },
    };
  },
});

/** Returns the previous secret. A repeated request keeps it: the secret of its earlier run was never shown. */
function previousSecret(rotation: string, { previous_secret, sealed_secret }: Webhook, at: number) {
  if (previous_secret?.rotation === rotation) return previous_secret;
  return { sealed: sealed_secret, expires_at: at + ROTATION_OVERLAP_MS, rotation };
}
