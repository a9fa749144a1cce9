import type { Upload } from '../../model/upload.ts';
import type { Services } from '../../runtime/services.ts';
import { abortAssembly } from '../../store/multipart-objects.ts';
import { deleteObject, type Bucket } from '../../store/objects.ts';
import { deleteUpload, replaceUpload } from '../../store/uploads.ts';
import { SWEEP_GRACE_MS } from '../transfer/media-run.ts';
import { abandonTransfer } from '../transfer/run-transfer.ts';
import { withoutTransientFields } from './ending.ts';
import { releaseStored, uploadFile } from '../storage-allowance.ts';

/**
 * Removes an upload: its file, what it reserved, and its item, in this order, so that an interrupted removal is continued by
 * the sweeper. From the first write on nobody sees the upload. Returns false when it changed since it was read.
 */
export async function removeUpload(services: Services, upload: Upload): Promise<boolean> {
  const now = services.now();
  const ended = { ...withoutTransientFields(upload), ends_at: now, wake_at: now + SWEEP_GRACE_MS };
  const ending = await replaceUpload(services.table, upload, ended);
  if (!ending) return false;
  await deleteObjects(services.bucket, ending);
  await releaseStored(services, uploadFile(ending));
  await deleteUpload(services.table, ending);
  return true;
}

async function deleteObjects(bucket: Bucket, { key, direct, transfer }: Upload): Promise<void> {
  if (transfer) await abandonTransfer({ bucket, transfer });
  if (direct) await deleteObject(bucket, direct.pending_key);
  if (key === null) return;
  if (direct?.multipart) await abortAssembly(bucket, { key, s3_upload_id: direct.multipart.s3_upload_id });
  await deleteObject(bucket, key);
}
