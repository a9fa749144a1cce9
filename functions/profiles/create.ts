import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { forbidden } from '../../shared/http/errors.ts';
import { PLAN_LIMITS } from '../../shared/model/plans.ts';
import type { Profile } from '../../shared/model/profile.ts';
import { createProfile as storeProfile } from '../../shared/store/profiles.ts';
import { toIso } from '../../shared/time/instant.ts';
import { newProfileNameField, usernameField } from './fields.ts';
import { nameConflict } from './name-conflict.ts';
import { NewProfileRecord } from './record.ts';

export const createProfile = route({
  method: 'POST',
  path: '/agency/profiles',
  operation_id: 'createProfile',
  summary: 'Create a profile',
  description: 'Usernames and profile names are unique within a workspace and compared case-insensitively.',
  tag: 'Profiles',
  auth: 'key',
  body: { username: usernameField, profile_name: v.nullish(newProfileNameField) },
  body_example: { username: 'acme_shop', profile_name: 'Acme Shop' },
  responses: {
    201: {
      description: 'The new profile',
      schema: v.object({ success: v.literal(true), profile: NewProfileRecord }),
    },
    403: { description: 'The profile limit of the plan is reached' },
    409: { description: 'A profile with this username or profile name already exists' },
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
      throw forbidden(`The ${principal.plan} plan allows ${limit ?? 0} profiles, and all of them are in use`);
    }
    if (outcome === 'taken') throw nameConflict();
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
