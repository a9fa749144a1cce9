import { idParam, route } from '../../shared/http/define-route.ts';
import { assertCreator } from '../../shared/http/access.ts';
import { notFound } from '../../shared/http/errors.ts';
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
  access: 'creator',
  params: idParam,
  responses: {
    204: { description: 'The key is revoked' },
    404: { description: 'API key not found, or already revoked' },
  },
  handler: async ({ params, principal }, services) => {
    const { workspace_id } = principal;
    const key = await getApiKey(services.table, workspace_id, params.id);
    if (!key) throw keyNotFound();
    assertCreator(principal, key.user_id, 'API keys');
    if (!(await revoke(services.table, workspace_id, params.id, services.now()))) throw keyNotFound();
    return { status: 204 };
  },
});
