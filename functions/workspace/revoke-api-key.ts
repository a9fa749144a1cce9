import { idParam, route } from '../../shared/http/define-route.ts';
import { forbidden, notFound } from '../../shared/http/errors.ts';
import { getApiKey, revokeApiKey as revoke } from '../../shared/store/workspaces.ts';

const keyNotFound = () => notFound('API key');

export const revokeApiKey = route({
  method: 'DELETE',
  path: '/api-keys/{id}',
  operation_id: 'revokeApiKey',
  summary: 'Revoke an API key',
  description: 'Takes effect within 30 s. Owners can revoke every key, members their own.',
  tag: 'API keys',
  auth: 'key',
  params: idParam,
  responses: {
    204: { description: 'The key is revoked' },
    403: { description: 'The key belongs to another user' },
    404: { description: 'API key not found, or already revoked' },
  },
  handler: async ({ params, principal }, services) => {
    const { workspace_id, role, user_id } = principal;
    const key = await getApiKey(services.table, workspace_id, params.id);
    if (!key) throw keyNotFound();
    if (role !== 'owner' && key.user_id !== user_id)
      throw forbidden('Members can revoke only their own API keys');
    if (!(await revoke(services.table, workspace_id, params.id, services.now()))) throw keyNotFound();
    return { status: 204 };
  },
});
