import * as v from 'valibot';
import { idParam, route } from '../../shared/http/define-route.ts';
import type { Profile } from '../../shared/model/profile.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { listConnections } from '../../shared/store/connections.ts';
import { renameProfile } from '../../shared/store/profiles.ts';
import { newProfileNameField, usernameField } from './fields.ts';
import { findOwnProfile } from './find.ts';
import { nameConflict } from './name-conflict.ts';
import { ProfileResponse, profileRecord } from './record.ts';

export const updateProfile = route({
  method: 'PATCH',
  path: '/agency/profiles/{id}',
  operation_id: 'updateProfile',
  summary: 'Rename a profile',
  description: 'Owners may rename every profile, members those that they created.',
  tag: 'Profiles',
  auth: 'key',
  access: 'creator',
  params: idParam,
  body: { username: v.exactOptional(usernameField), profile_name: v.exactOptional(newProfileNameField) },
  body_example: { profile_name: 'Acme Shop Europe' },
  responses: {
    200: { description: 'The profile as it is now', schema: ProfileResponse },
    404: { description: 'Profile not found' },
    409: { description: 'Another profile with this username or profile name already exists' },
  },
  handler: async ({ params, body, principal }, services) => {
    const profile = await rename(services, principal, params.id, body);
    const connections = await listConnections(services.table, principal.workspace_id, profile.id);
    return { status: 200, body: { success: true, profile: profileRecord(profile, connections) } };
  },
});

type Names = Partial<Pick<Profile, 'username' | 'profile_name'>>;

/** Retries when the profile was changed by another request after it was read. */
async function rename(
  services: Services,
  principal: Principal,
  id: string,
  changes: Names,
): Promise<Profile> {
  for (;;) {
    const profile = await findOwnProfile(services, principal, id);
    const { username, profile_name } = { ...profile, ...changes };
    const outcome = await renameProfile(services.table, profile, { username, profile_name });
    if (outcome === 'taken') throw nameConflict();
    if (outcome === 'renamed') return { ...profile, username, profile_name };
  }
}
