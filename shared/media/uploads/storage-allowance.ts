import { storageLimitExceeded } from '../../http/errors.ts';
import { PLAN_LIMITS } from '../../model/plans.ts';
import type { Services } from '../../runtime/services.ts';
import { releaseStorage, reserveStorage, storageUsed } from '../../store/storage.ts';
import type { UploadRef } from '../../store/uploads.ts';
import { getWorkspace } from '../../store/workspaces.ts';

/** Reserves storage for an upload. Throws 403 `STORAGE_LIMIT`. */
export async function reserveForUpload(services: Services, ref: UploadRef, bytes: number): Promise<void> {
  const limit = await storageLimit(services, ref.workspace_id);
  if (await reserveStorage(services.table, fileOf(ref), bytes, limit)) return;
  throw storageLimitExceeded(limit ?? 0, await storageUsed(services.table, ref.workspace_id));
}

/** Whether an upload fits; reserves its storage if it does. For background work. */
export async function tryReserveForUpload(
  services: Services,
  ref: UploadRef,
  bytes: number,
): Promise<boolean> {
  return reserveStorage(services.table, fileOf(ref), bytes, await storageLimit(services, ref.workspace_id));
}

/** Throws 403 `STORAGE_LIMIT` where a file of this size does not fit. `bytes` null: the size is not known yet. */
export async function assertStorageLeft(
  services: Services,
  workspaceId: string,
  bytes: number | null,
): Promise<void> {
  const [limit, used] = await Promise.all([
    storageLimit(services, workspaceId),
    storageUsed(services.table, workspaceId),
  ]);
  if (limit !== null && used + (bytes ?? 1) > limit) throw storageLimitExceeded(limit, used);
}

/** Releases the storage of an upload that is not kept. */
export const releaseForUpload = (services: Pick<Services, 'table'>, ref: UploadRef): Promise<void> =>
  releaseStorage(services.table, fileOf(ref));

const fileOf = ({ workspace_id, upload_id }: UploadRef) => ({ workspace_id, file_id: upload_id });

/** Bytes that the plan of a workspace allows; null: unlimited. */
async function storageLimit({ table }: Services, workspaceId: string): Promise<number | null> {
  const workspace = await getWorkspace(table, workspaceId);
  return workspace ? PLAN_LIMITS[workspace.plan].storage_bytes : null;
}
