import * as v from 'valibot';
import { sendHousekeepingMessage } from '../../shared/housekeeping/messages.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import { eraseContent } from '../../shared/profiles/erase.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { beginDeletion } from '../../shared/store/profiles.ts';
import type { ProfileRef } from '../../shared/store/profile-deletions.ts';
import { SECOND } from '../../shared/time/instant.ts';
import { findOwnProfile } from './find.ts';

/** What is not erased within this time goes in the background. */
const PATIENCE_MS = 6 * SECOND;

export const deleteProfile = route({
  method: 'DELETE',
  path: '/agency/profiles/{id}',
  operation_id: 'deleteProfile',
  summary: 'Delete a profile with everything that belongs to it',
  description:
    'Its media assets, playlists, queue settings and connections go for good, posts that are not yet published are ' +
    'cancelled; published posts stay readable. What is much goes on in the background.',
  tag: 'Profiles',
  auth: 'key',
  params: idParam,
  responses: {
    200: {
      description: 'The profile is gone',
      schema: v.object({ success: v.literal(true), message: v.string() }),
    },
    403: { description: 'The profile was created by somebody else' },
    404: { description: 'No such profile' },
  },
  handler: async ({ params, principal }, services) => {
    let gone = false;
    while (!gone) {
      const profile = await findOwnProfile(services, principal, params.id);
      gone = await beginDeletion(services.table, profile, services.now());
    }
    await erase(services, { workspace_id: principal.workspace_id, profile_id: params.id });
    return { status: 200, body: { success: true, message: 'The profile and its media assets are deleted' } };
  },
});

/** The profile is gone and the deletion noted: whatever fails from here on, the sweeper finds it. */
async function erase(services: Services, ref: ProfileRef): Promise<void> {
  const until = services.now() + PATIENCE_MS;
  try {
    await eraseContent(services, ref, () => services.now() > until);
    await sendHousekeepingMessage(services, { kind: 'erase-profile', ...ref });
  } catch (error) {
    log.warn('A deletion goes on in the background', { ...ref, ...describeError(error) });
  }
}
