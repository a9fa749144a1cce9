import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { isProfileVisible } from '../../shared/http/key-scope.ts';
import { listConnections } from '../../shared/store/connections.ts';
import { listProfiles as readProfiles } from '../../shared/store/profiles.ts';
import { ProfileRecord, profileRecord } from './record.ts';

export const listProfiles = route({
  method: 'GET',
  path: '/agency/profiles',
  operation_id: 'listProfiles',
  summary: 'List the profiles of the workspace',
  tag: 'Profiles',
  auth: 'key',
  responses: {
    200: {
      description: 'All profiles',
      schema: v.object({ success: v.literal(true), profiles: v.array(ProfileRecord) }),
    },
  },
  handler: async ({ principal }, services) => {
    const [profiles, connections] = await Promise.all([
      readProfiles(services.table, principal.workspace_id),
      listConnections(services.table, principal.workspace_id),
    ]);
    const visible = profiles.filter(({ id }) => isProfileVisible(principal, id));
    return {
      status: 200,
      body: { success: true, profiles: visible.map(profile => profileRecord(profile, connections)) },
    };
  },
});
