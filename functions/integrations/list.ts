import * as v from 'valibot';
import { accountRecord } from '../../shared/connections/account.ts';
import { route } from '../../shared/http/define-route.ts';
import { listConnections } from '../../shared/store/connections.ts';
import { listProfiles } from '../../shared/store/profiles.ts';
import { AccountView } from './view.ts';

export const listAccounts = route({
  method: 'GET',
  path: '/integrations',
  operation_id: 'listAccounts',
  summary: 'List the connected accounts of the workspace',
  tag: 'Connections',
  auth: 'key',
  responses: {
    200: { description: 'All accounts', schema: v.object({ accounts: v.array(AccountView) }) },
  },
  handler: async ({ principal }, services) => {
    const [connections, profiles] = await Promise.all([
      listConnections(services.table, principal.workspace_id),
      listProfiles(services.table, principal.workspace_id),
    ]);
    const names = new Map(profiles.map(profile => [profile.id, profile.profile_name]));
    // What belonged to a deleted profile goes a moment after it.
    const accounts = connections.flatMap(each => {
      const name = names.get(each.profile_id);
      return name === undefined ? [] : [accountRecord(each, name)];
    });
    return { status: 200, body: { accounts } };
  },
});
