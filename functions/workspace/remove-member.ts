import { idParam, route } from '../../shared/http/define-route.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { listApiKeys, removeMember as remove, revokeApiKey } from '../../shared/store/workspaces.ts';
import { changeMember } from './change-member.ts';

export const removeMember = route({
  method: 'DELETE',
  path: '/workspace/members/{id}',
  operation_id: 'removeMember',
  summary: 'Remove a member',
  description:
    'Owners only. The API keys of the member stop working within 30 s. The last owner cannot be removed.',
  tag: 'Workspace',
  auth: 'key',
  access: 'owner',
  params: idParam,
  responses: {
    204: { description: 'The member is removed' },
    404: { description: 'Member not found' },
    409: { description: 'The member is the last owner', codes: ['LAST_OWNER'] },
  },
  handler: async ({ params, principal }, services) => {
    const member = await changeMember(services, principal, params.id, current =>
      remove(services.table, current),
    );
    await revokeKeysOf(services, principal.workspace_id, member.user_id);
    return { status: 204 };
  },
});

/** Cleans up: keys without a member do not work anyway. */
async function revokeKeysOf(services: Services, workspaceId: string, userId: string): Promise<void> {
  const keys = await listApiKeys(services.table, workspaceId);
  for (const { key_id, user_id } of keys) {
    if (user_id === userId) await revokeApiKey(services.table, workspaceId, key_id, services.now());
  }
}
