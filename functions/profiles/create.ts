import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { conflict } from '../../shared/http/errors.ts';
import { newId } from '../../shared/model/id.ts';
import type { Profile } from '../../shared/model/profile.ts';
import { createProfile as storeProfile } from '../../shared/store/profiles.ts';
import { toIso } from '../../shared/time/instant.ts';

/** Letters of any script with their marks, digits, and the four signs that handles use. */
const USERNAME = /^[\p{L}\p{M}\p{N}._ -]+$/u;

const username = v.pipe(
  v.string(),
  v.trim(),
  v.normalize('NFC'),
  v.minLength(3, 'Must have at least 3 characters'),
  v.maxLength(64, 'Must have at most 64 characters'),
  v.regex(USERNAME, 'May hold letters, digits, spaces and . _ -'),
);

const profileName = v.pipe(
  v.string(),
  v.trim(),
  v.normalize('NFC'),
  v.nonEmpty('Must not be empty'),
  v.maxLength(100, 'Must have at most 100 characters'),
  v.regex(/^\P{Cc}*$/u, 'Must not hold control characters'),
);

export const createProfile = route({
  method: 'POST',
  path: '/agency/profiles',
  summary: 'Create a profile',
  tag: 'Profiles',
  auth: 'key',
  body: { username, profile_name: v.nullish(profileName) },
  responses: { 201: { description: 'The profile' }, 409: { description: 'A name is taken' } },
  handler: async ({ body, principal }, services) => {
    const now = services.now();
    const profile: Profile = {
      id: newId(now),
      workspace_id: principal.workspace_id,
      profile_name: body.profile_name ?? body.username,
      username: body.username,
      created_by: principal.user_id,
      created_at: now,
    };
    if (!(await storeProfile(services.table, profile))) {
      throw conflict('A profile with this username or profile name exists already');
    }
    const { id, username: name, profile_name, workspace_id } = profile;
    return {
      status: 201,
      body: {
        success: true,
        profile: { id, username: name, profile_name, workspace_id, created_at: toIso(now) },
      },
    };
  },
});
