import { finishConfirmation } from '../../shared/media/uploads/confirm-upload.ts';
import { processCopy } from '../../shared/media/copies/copy-media.ts';
import { importUpload } from '../../shared/media/uploads/import-upload.ts';
import { removeUpload } from '../../shared/media/uploads/remove-upload.ts';
import type { MediaWork } from '../../shared/media/work.ts';
import { newLease, type MediaRun } from '../../shared/media/transfer/media-run.ts';
import { getStoredUpload, replaceUpload, type UploadRef } from '../../shared/store/uploads.ts';

/** Does the work. Idempotent: it may be requested twice, or after it was done. */
export function doMediaWork(run: MediaRun, work: MediaWork): Promise<void> {
  return work.kind === 'upload' ? workOnUpload(run, work) : processCopy(run, work);
}

async function workOnUpload(run: MediaRun, ref: UploadRef): Promise<void> {
  const { services } = run;
  const { table, now } = services;
  const upload = await getStoredUpload(table, ref);
  if (!upload || upload.lease_until > now()) return;
  if (upload.ends_at !== undefined) {
    if (upload.ends_at <= now()) await removeUpload(services, upload);
    return;
  }
  if (upload.status !== 'processing') return;
  if (upload.transfer) {
    await importUpload(run, upload);
    return;
  }
  const leased = await replaceUpload(table, upload, { ...upload, ...newLease(run) });
  if (leased) await finishConfirmation(services, leased);
}
