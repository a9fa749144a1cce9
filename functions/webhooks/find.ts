import { conflict, notFound } from '../../shared/http/errors.ts';
import type { Webhook } from '../../shared/model/webhook.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getWebhook } from '../../shared/store/webhooks.ts';

export const webhookNotFound = () => notFound('Webhook');

/** The caller's webhook. Throws 404, also for one of another workspace. */
export async function findWebhook(services: Services, principal: Principal, id: string): Promise<Webhook> {
  const webhook = await getWebhook(services.table, principal.workspace_id, id);
  if (!webhook) throw webhookNotFound();
  return webhook;
}

/** The caller's webhook, to send something to. Throws 409 where it is switched off. */
export async function findActiveWebhook(
  services: Services,
  principal: Principal,
  id: string,
): Promise<Webhook> {
  const webhook = await findWebhook(services, principal, id);
  if (!webhook.active) {
    throw conflict('The webhook is switched off', {
      code: 'WEBHOOK_DISABLED',
      disabled_reason: webhook.disabled_reason,
    });
  }
  return webhook;
}
