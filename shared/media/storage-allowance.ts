import { storageLimitExceeded } from '../http/errors.ts';
import { PLAN_LIMITS } from '../model/plans.ts';
import type { Services } from '../runtime/services.ts';
import type { CopyRef } from '../store/copies.ts';
import { releaseStorage, reserveStorage, storageUsed, type StoredFileRef } from '../store/storage.ts';
import type { UploadRef } from '../store/uploads.ts';
import { getWorkspace } from '../store/workspaces.ts';

/** The file of an upload. */
export const uploadFile = ({ workspace_id, upload_id }: UploadRef): StoredFileRef => ({
  workspace_id,
  file_id: upload_id,
});

/** The copy of a file of a waiting post. */
export const copyFile = ({ workspace_id, post_id, url_hash }: CopyRef): StoredFileRef => ({
  workspace_id,
  file_id: `COPY#${post_id}#${url_hash}`,
});

/** Reserves storage for a file. Throws 403 `STORAGE_LIMIT`. */
export async function reserve(services: Services, file: StoredFileRef, bytes: number): Promise<void> {
  const limit = await storageLimit(services, file.workspace_id);
  if (await reserveStorage(services.table, file, bytes, limit)) return;
  throw storageLimitExceeded(limit ?? 0, await storageUsed(services.table, file.workspace_id));
}

/** Whether a file fits; reserves its storage if it does. For background work. */
export async function tryReserve(services: Services, file: StoredFileRef, bytes: number): Promise<boolean> {
  return reserveStorage(services.table, file, bytes, await storageLimit(services, file.workspace_id));
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

/** Releases the storage of a file that is not kept. */
export const releaseStored = (services: Pick<Services, 'table'>, file: StoredFileRef): Promise<void> =>
  releaseStorage(services.table, file);

/** Bytes that the plan of a workspace allows; null: unlimited. */
async function storageLimit({ table }: Services, workspaceId: string): Promise<number | null> {
  const workspace = await getWorkspace(table, workspaceId);
  return workspace ? PLAN_LIMITS[workspace.plan].storage_bytes : null;
}
