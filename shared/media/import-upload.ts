import type { MediaFormat } from '../model/media.ts';
import type { Upload } from '../model/upload.ts';
import type { Transfer } from '../model/transfer.ts';
import { deleteObject, MEDIA } from '../store/objects.ts';
import { replaceUpload } from '../store/uploads.ts';
import { DAY, SECOND } from '../time/instant.ts';
import { sendMediaMessage } from './messages.ts';
import { randomKey, GRACE_MS, leaseOf, LeaseLost, waitAfter, type MediaRun } from './run.ts';
import { abandonTransfer, runTransfer, type TransferResult } from './transfer.ts';

/** An import that is not there by then never will be. */
const LONGEST_MS = 1 * DAY;
/** So long one can still read why an import failed. */
const FAILED_KEPT_MS = 7 * DAY;

/** The upload without what only matters on its way. */
export function settled(upload: Upload): Upload {
  const rest: Upload = { ...upload, lease_until: 0 };
  delete rest.wake_at;
  delete rest.expires_at;
  return rest;
}

/**
 * Works on an import by URL until it is ready, failed, or must go on in another run. Gives it as it is then; null when
 * somebody else has it in hand.
 */
export async function importUpload(run: MediaRun, upload: Upload): Promise<Upload | null> {
  const { services } = run;
  if (upload.transfer === null || upload.lease_until > services.now()) return null;
  let held = await replaceUpload(services.table, upload, { ...upload, ...leaseOf(run) });
  if (!held) return null;
  const save = async (transfer: Transfer) => {
    if (!held) throw new LeaseLost();
    held = await replaceUpload(services.table, held, withTransfer(held, transfer));
    if (!held) throw new LeaseLost();
  };
  try {
    const newKey = (format: MediaFormat) => randomKey(MEDIA, format);
    const result = await runTransfer({ ...run, bucket: services.bucket, newKey, save }, upload.transfer);
    return await store(run, held, result);
  } catch (error) {
    if (error instanceof LeaseLost) return null;
    throw error;
  }
}

const withTransfer = (upload: Upload, transfer: Transfer): Upload => ({
  ...upload,
  key: transfer.key,
  format: transfer.format,
  size: transfer.total,
  transfer,
});

async function store(run: MediaRun, held: Upload, result: TransferResult): Promise<Upload | null> {
  const { table, bucket, now } = run.services;
  const after = outcomeOf(held, result, now());
  const stored = await replaceUpload(table, held, after);
  if (!stored && result.type === 'done') await deleteObject(bucket, result.key);
  if (stored?.status === 'failed' && result.type === 'more')
    await abandonTransfer({ bucket, transfer: result.transfer });
  if (stored?.status !== 'processing') return stored;
  const { workspace_id, upload_id } = stored;
  const wait = waitAfter(result.transfer.failures);
  await sendMediaMessage(run.services, { kind: 'upload', workspace_id, upload_id }, wait);
  return stored;
}

function outcomeOf(held: Upload, result: TransferResult, now: number): Upload {
  if (result.type === 'done') {
    const { key, format, size } = result;
    return { ...settled(held), status: 'ready', key, format, size, transfer: null };
  }
  if (result.type === 'failed' || now - held.created_at > LONGEST_MS) {
    const expires_at = Math.floor((now + FAILED_KEPT_MS) / SECOND);
    return {
      ...settled(held),
      status: 'failed',
      error: result.message,
      key: null,
      transfer: null,
      expires_at,
    };
  }
  const wake_at = now + waitAfter(result.transfer.failures) + GRACE_MS;
  return { ...withTransfer(held, result.transfer), lease_until: 0, wake_at };
}
