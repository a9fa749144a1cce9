import * as v from 'valibot';
import { idParam, route } from '../../shared/http/define-route.ts';
import type { Profile } from '../../shared/model/profile.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { listConnections } from '../../shared/store/connections.ts';
import { renameProfile } from '../../shared/store/profiles.ts';
import { profileNameField, usernameField } from './fields.ts';
import { findOwnProfile } from './find.ts';
import { nameTaken } from './names.ts';
import { ProfileAnswer, profileView } from './view.ts';

export const updateProfile = route({
  method: 'PATCH',
  path: '/agency/profiles/{id}',
  operation_id: 'updateProfile',
  summary: 'Rename a profile',
  description: 'Owners may rename every profile, members those that they created.',
  tag: 'Profiles',
  auth: 'key',
  params: idParam,
  body: { username: v.exactOptional(usernameField), profile_name: v.exactOptional(profileNameField) },
  body_example: { profile_name: 'Acme Shop Europe' },
  responses: {
    200: { description: 'The profile as it is now', schema: ProfileAnswer },
    403: { description: 'The profile was created by somebody else' },
    404: { description: 'No such profile' },
    409: { description: 'Another profile has this username or profile name' },
  },
  handler: async ({ params, body, principal }, services) => {
    const profile = await rename(services, principal, params.id, body);
    const connections = await listConnections(services.table, principal.workspace_id, profile.id);
    return { status: 200, body: { success: true, profile: profileView(profile, connections) } };
  },
});

type Names = Partial<Pick<Profile, 'username' | 'profile_name'>>;

/** A change that another one overtook begins anew, with the names that the other one gave. */
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
    if (outcome === 'taken') throw nameTaken();
    if (outcome === 'renamed') return { ...profile, username, profile_name };
  }
}
