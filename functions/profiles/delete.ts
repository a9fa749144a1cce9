import * as v from 'valibot';
import { startHousekeeping } from '../../shared/housekeeping/work.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import { deleteProfileContent } from '../../shared/profiles/delete-content.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { beginDeletion } from '../../shared/store/profiles.ts';
import type { ProfileRef } from '../../shared/store/profile-deletions.ts';
import { SECOND } from '../../shared/time/instant.ts';
import { findOwnProfile } from './find.ts';

/** Time to delete content within the request; the housekeeper deletes the rest. */
const MAX_DURATION_MS = 6 * SECOND;

export const deleteProfile = route({
  method: 'DELETE',
  path: '/agency/profiles/{id}',
  operation_id: 'deleteProfile',
  summary: 'Delete a profile and everything that belongs to it',
  description:
    'Permanently deletes the media assets, playlists, queue settings and connections of the profile. Posts that are not ' +
    'yet published are cancelled: they stay readable with the status `cancelled`, as published posts do. What a large ' +
    'profile has beyond the first seconds of work is cancelled and deleted in the background.',
  tag: 'Profiles',
  auth: 'key',
  access: 'creator',
  params: idParam,
  responses: {
    200: {
      description: 'The profile is deleted',
      schema: v.object({
        success: v.literal(true),
        message: v.string(),
        cancelled_posts: v.pipe(
          v.number(),
          v.integer(),
          v.description('Waiting posts that this request cancelled'),
        ),
      }),
    },
    404: { description: 'Profile not found' },
  },
  handler: async ({ params, principal }, services) => {
    let deleted = false;
    while (!deleted) {
      const profile = await findOwnProfile(services, principal, params.id);
      deleted = await beginDeletion(services.table, profile, services.now());
    }
    const ref = { workspace_id: principal.workspace_id, profile_id: params.id };
    const cancelled_posts = await deleteContent(services, ref);
    const message = 'The profile and its media assets are deleted';
    return { status: 200, body: { success: true, message, cancelled_posts } };
  },
});

/**
 * Returns the number of cancelled posts. A failure is logged only: the deletion is recorded, and the sweeper continues it.
 */
async function deleteContent(services: Services, ref: ProfileRef): Promise<number> {
  const deadline = services.now() + MAX_DURATION_MS;
  let cancelled = 0;
  try {
    await deleteProfileContent(
      services,
      ref,
      () => services.now() > deadline,
      () => (cancelled += 1),
    );
    await startHousekeeping(services, { kind: 'erase-profile', ...ref });
  } catch (error) {
    log.warn('Profile deletion continues in the background', { ...ref, ...describeError(error) });
  }
  return cancelled;
}
