import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { isProfileVisible } from '../../shared/http/key-scope.ts';
import { listConnections } from '../../shared/store/connections.ts';
import { listProfiles } from '../../shared/store/profiles.ts';
import { accountRecord, AccountRecord } from './record.ts';

export const listAccounts = route({
  method: 'GET',
  path: '/integrations',
  operation_id: 'listAccounts',
  summary: 'List the connected accounts of the workspace',
  description:
    '`warnings` name an account whose credentials expire within a week and cannot be renewed: reconnect it in time.',
  tag: 'Connections',
  auth: 'key',
  responses: {
    200: { description: 'All accounts', schema: v.object({ accounts: v.array(AccountRecord) }) },
  },
  handler: async ({ principal }, services) => {
    const [connections, profiles] = await Promise.all([
      listConnections(services.table, principal.workspace_id),
      listProfiles(services.table, principal.workspace_id),
    ]);
    const names = new Map(profiles.map(profile => [profile.id, profile.profile_name]));
    // The accounts of a deleted profile are deleted in the background.
    const accounts = connections.flatMap(each => {
      const name = names.get(each.profile_id);
      return name === undefined || !isProfileVisible(principal, each.profile_id)
        ? []
        : [accountRecord(each, name, services.now())];
    });
    return { status: 200, body: { accounts } };
  },
});
