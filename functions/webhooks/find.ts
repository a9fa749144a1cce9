import { assertCreator } from '../../shared/http/access.ts';
import { conflict, notFound } from '../../shared/http/errors.ts';
import type { Webhook } from '../../shared/model/webhook.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getWebhook } from '../../shared/store/webhooks.ts';

export const webhookNotFound = () => notFound('Webhook');

/** Returns a webhook of the caller's workspace. Throws 404. */
export async function findWebhook(services: Services, principal: Principal, id: string): Promise<Webhook> {
  const webhook = await getWebhook(services.table, principal.workspace_id, id);
  if (!webhook) throw webhookNotFound();
  return webhook;
}

/** Returns a webhook that the caller may change: owners any, members those they created. Throws 404 or 403. */
export async function findOwnWebhook(services: Services, principal: Principal, id: string): Promise<Webhook> {
  const webhook = await findWebhook(services, principal, id);
  assertCreator(principal, webhook.created_by, 'webhooks');
  return webhook;
}

/** Returns an active webhook of the caller's workspace. Throws 404, and 409 when it is disabled. */
export async function findActiveWebhook(
  services: Services,
  principal: Principal,
  id: string,
): Promise<Webhook> {
  const webhook = await findWebhook(services, principal, id);
  if (!webhook.active) {
    throw conflict('The webhook is disabled. Enable it with PATCH {"active": true}.', {
      code: 'WEBHOOK_DISABLED',
      disabled_reason: webhook.disabled_reason,
    });
  }
  return webhook;
}
