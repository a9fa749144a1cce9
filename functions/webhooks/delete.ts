import { idParam, route } from '../../shared/http/define-route.ts';
import { deleteWebhook as removeWebhook } from '../../shared/store/webhooks.ts';
import { webhookNotFound } from './find.ts';

export const deleteWebhook = route({
  method: 'DELETE',
  path: '/webhooks/{id}',
  operation_id: 'deleteWebhook',
  summary: 'Delete a webhook; pending deliveries are not sent',
  tag: 'Webhooks',
  auth: 'key',
  params: idParam,
  responses: { 204: { description: 'Deleted' }, 404: { description: 'No such webhook' } },
  handler: async ({ params, principal }, services) => {
    if (!(await removeWebhook(services.table, principal.workspace_id, params.id))) throw webhookNotFound();
    return { status: 204 };
  },
});
