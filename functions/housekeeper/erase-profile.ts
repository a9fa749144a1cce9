import { disconnectAccount } from '../../shared/connections/disconnect.ts';
import { eraseContent } from '../../shared/profiles/erase.ts';
import { listConnections } from '../../shared/store/connections.ts';
import {
  endDeletion,
  getDeletion,
  LAST_PASS_AFTER,
  type ProfileRef,
} from '../../shared/store/profile-deletions.ts';
import { SECOND } from '../../shared/time/instant.ts';
import type { Run } from './work.ts';

/** Longer than a revocation may take. */
const RESERVE_MS = 30 * SECOND;

/**
 * Erases what a deleted profile left: content first, so that no post meets a missing account, then the accounts. Every
 * run does all that is left, from any point at which an earlier one ended. The deletion itself goes last, and only
 * with a run that began when no request could store anything for the profile any more.
 */
export async function eraseProfile({ services, remainingMs }: Run, ref: ProfileRef): Promise<void> {
  const deletion = await getDeletion(services.table, ref);
  if (!deletion) return;
  const isLastPass = services.now() >= deletion.started_at + LAST_PASS_AFTER;
  const enough = () => remainingMs() < RESERVE_MS;
  if (!(await eraseContent(services, ref, enough))) return;
  for (const connection of await listConnections(services.table, ref.workspace_id, ref.profile_id)) {
    if (enough()) return;
    await disconnectAccount(services, connection);
  }
  if (isLastPass) await endDeletion(services.table, ref);
}
