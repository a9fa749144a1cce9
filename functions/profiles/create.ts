import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { forbidden } from '../../shared/http/errors.ts';
import { PLAN_LIMITS } from '../../shared/model/plans.ts';
import type { Profile } from '../../shared/model/profile.ts';
import { createProfile as storeProfile } from '../../shared/store/profiles.ts';
import { toIso } from '../../shared/time/instant.ts';
import { profileNameField, usernameField } from './fields.ts';
import { nameTaken } from './names.ts';
import { NewProfileView } from './view.ts';

export const createProfile = route({
  method: 'POST',
  path: '/agency/profiles',
  operation_id: 'createProfile',
  summary: 'Create a profile',
  description: 'Names are unique in a workspace, without regard to case.',
  tag: 'Profiles',
  auth: 'key',
  body: { username: usernameField, profile_name: v.nullish(profileNameField) },
  body_example: { username: 'acme_shop', profile_name: 'Acme Shop' },
  responses: {
    201: {
      description: 'The profile',
      schema: v.object({ success: v.literal(true), profile: NewProfileView }),
    },
    403: { description: 'The plan allows no more profiles' },
    409: { description: 'A profile has this username or profile name already' },
  },
  handler: async ({ body, principal, newResourceId, asked_at }, services) => {
    const profile: Profile = {
      id: newResourceId(),
      workspace_id: principal.workspace_id,
      profile_name: body.profile_name ?? body.username,
      username: body.username,
      created_by: principal.user_id,
      created_at: asked_at,
    };
    const { profiles: limit } = PLAN_LIMITS[principal.plan];
    const outcome = await storeProfile(services.table, profile, limit);
    if (outcome === 'limit') {
      throw forbidden(`The ${principal.plan} plan allows ${limit ?? 'no'} profiles: the limit is reached`);
    }
    if (outcome === 'taken') throw nameTaken();
    const { id, username, profile_name, workspace_id } = profile;
    return {
      status: 201,
      body: {
        success: true,
        profile: { id, username, profile_name, workspace_id, created_at: toIso(asked_at) },
      },
    };
  },
});
