import { idParam, route } from '../../shared/http/define-route.ts';
import { deleteWebhook as removeWebhook } from '../../shared/store/webhooks.ts';
import { findOwnWebhook, webhookNotFound } from './find.ts';

export const deleteWebhook = route({
  method: 'DELETE',
  path: '/webhooks/{id}',
  operation_id: 'deleteWebhook',
  summary: 'Delete a webhook; pending deliveries are not sent',
  tag: 'Webhooks',
  auth: 'key',
  access: 'creator',
  params: idParam,
  responses: { 204: { description: 'Deleted' }, 404: { description: 'Webhook not found' } },
  handler: async ({ params, principal }, services) => {
    const { workspace_id, id } = await findOwnWebhook(services, principal, params.id);
    if (!(await removeWebhook(services.table, workspace_id, id))) throw webhookNotFound();
    return { status: 204 };
  },
});
