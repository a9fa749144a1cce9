import { idParam, route } from '../../shared/http/define-route.ts';
import { listConnections } from '../../shared/store/connections.ts';
import { findProfile } from './find.ts';
import { ProfileResponse, profileRecord } from './record.ts';

export const getProfile = route({
  method: 'GET',
  path: '/agency/profiles/{id}',
  operation_id: 'getProfile',
  summary: 'Get a profile',
  tag: 'Profiles',
  auth: 'key',
  params: idParam,
  responses: {
    200: { description: 'The profile', schema: ProfileResponse },
    404: { description: 'Profile not found' },
  },
  handler: async ({ params, principal }, services) => {
    const profile = await findProfile(services, principal, params.id);
    const connections = await listConnections(services.table, principal.workspace_id, profile.id);
    return { status: 200, body: { success: true, profile: profileRecord(profile, connections) } };
  },
});
