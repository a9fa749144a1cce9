import { finishConfirmation } from '../../shared/media/uploads/confirm-upload.ts';
import { processCopy } from '../../shared/media/copies/copy-media.ts';
import { importUpload } from '../../shared/media/uploads/import-upload.ts';
import { removeUpload } from '../../shared/media/uploads/remove-upload.ts';
import type { MediaMessage } from '../../shared/media/messages.ts';
import { newLease, type MediaRun } from '../../shared/media/transfer/media-run.ts';
import { getStoredUpload, replaceUpload, type UploadRef } from '../../shared/store/uploads.ts';

/** Processes a message. Idempotent: a message may be delivered twice, or after its work was done. */
export function handleMediaMessage(run: MediaRun, message: MediaMessage): Promise<void> {
  return message.kind === 'upload' ? workOnUpload(run, message) : processCopy(run, message);
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
