import { endBroadcasts } from '../../shared/broadcasts/stop.ts';
import { disconnectAccount } from '../../shared/connections/disconnect.ts';
import { deleteProfileContent } from '../../shared/profiles/delete-content.ts';
import { listConnections } from '../../shared/store/connections.ts';
import {
  endDeletion,
  getDeletion,
  FINAL_PASS_DELAY_MS,
  type ProfileRef,
} from '../../shared/store/profile-deletions.ts';
import { SECOND } from '../../shared/time/instant.ts';
import type { Run } from './run.ts';

/** Longer than a revocation may take. */
const RESERVE_MS = 30 * SECOND;

/**
 * Erases what belongs to a deleted profile: content first, so that no post finds its account missing, then broadcasts, which
 * end with the help of their account, then the accounts.
 * Every run continues where an earlier one ended. The deletion item is removed last, by a run that began when no request
 * could still store anything for the profile.
 */
export async function eraseProfile({ services, remainingMs }: Run, ref: ProfileRef): Promise<void> {
  const deletion = await getDeletion(services.table, ref);
  if (!deletion) return;
  const isLastPass = services.now() >= deletion.started_at + FINAL_PASS_DELAY_MS;
  const isTimeOver = () => remainingMs() < RESERVE_MS;
  if (!(await deleteProfileContent(services, ref, isTimeOver))) return;
  if (!(await endBroadcasts(services, ref))) return;
  for (const connection of await listConnections(services.table, ref.workspace_id, ref.profile_id)) {
    if (isTimeOver()) return;
    await disconnectAccount(services, connection);
  }
  if (isLastPass) await endDeletion(services.table, ref);
}
