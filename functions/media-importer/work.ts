import { finishConfirmation } from '../../shared/media/confirm-upload.ts';
import { advanceCopy } from '../../shared/media/copy-media.ts';
import { importUpload } from '../../shared/media/import-upload.ts';
import type { MediaMessage } from '../../shared/media/messages.ts';
import { leaseOf, type MediaRun } from '../../shared/media/run.ts';
import { getUpload, replaceUpload, type UploadRef } from '../../shared/store/uploads.ts';

/** Does what a note asks for. Each may come twice, and may find that nothing is left to do. */
export function moveMedia(run: MediaRun, message: MediaMessage): Promise<void> {
  return message.kind === 'upload' ? workOnUpload(run, message) : advanceCopy(run, message);
}

async function workOnUpload(run: MediaRun, ref: UploadRef): Promise<void> {
  const { table, now } = run.services;
  const upload = await getUpload(table, ref, now());
  if (upload?.status !== 'processing' || upload.lease_until > now()) return;
  if (upload.transfer) {
    await importUpload(run, upload);
    return;
  }
  const held = await replaceUpload(table, upload, { ...upload, ...leaseOf(run) });
  if (held) await finishConfirmation(run, held);
}
