import { accountRecord } from '../../shared/connections/account.ts';
import { route } from '../../shared/http/define-route.ts';
import { listConnections } from '../../shared/store/connections.ts';
import { listProfiles } from '../../shared/store/profiles.ts';

export const listAccounts = route({
  method: 'GET',
  path: '/integrations',
  summary: 'List the connected accounts of the workspace',
  tag: 'Connections',
  auth: 'key',
  responses: { 200: { description: 'All accounts' } },
  handler: async ({ principal }, services) => {
    const [connections, profiles] = await Promise.all([
      listConnections(services.table, principal.workspace_id),
      listProfiles(services.table, principal.workspace_id),
    ]);
    const names = new Map(profiles.map(profile => [profile.id, profile.profile_name]));
    return {
      status: 200,
      body: { accounts: connections.map(each => accountRecord(each, names.get(each.profile_id) ?? '')) },
    };
  },
});
