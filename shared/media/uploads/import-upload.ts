import type { MediaFormat } from '../../model/media.ts';
import type { Transfer } from '../../model/transfer.ts';
import type { Upload } from '../../model/upload.ts';
import { deleteObject, MEDIA } from '../../store/objects.ts';
import { getUpload, replaceUpload, type UploadRef } from '../../store/uploads.ts';
import { DAY } from '../../time/instant.ts';
import { backoffAfter, LeaseLost, newLease, randomKey, type MediaRun } from '../transfer/media-run.ts';
import { abandonTransfer, runTransfer, type TransferResult } from '../transfer/run-transfer.ts';
import { endingAt, withoutTransientFields } from './ending.ts';
import { tryReserve, uploadFile } from '../storage-allowance.ts';

/** An import that has not finished by then fails. */
const MAX_IMPORT_MS = 1 * DAY;
/** How long the error of a failed import can be read. */
const FAILED_RETENTION_MS = 7 * DAY;

/**
 * Works on an import by URL until it is ready, has failed, or must continue in another run, which the sweeper starts. Returns
 * the upload as stored; null when another worker has the lease.
 */
export async function importUpload(run: MediaRun, upload: Upload): Promise<Upload | null> {
  const { services } = run;
  if (upload.transfer === null || upload.lease_until > services.now()) return null;
  let leased = await replaceUpload(services.table, upload, { ...upload, ...newLease(run) });
  if (!leased) return null;
  const save = async (transfer: Transfer) => {
    if (!leased) throw new LeaseLost();
    leased = await replaceUpload(services.table, leased, withTransfer(leased, transfer));
    if (!leased) throw new LeaseLost();
  };
  try {
    const newKey = (format: MediaFormat) => randomKey(MEDIA, format);
    const result = await runTransfer({ ...run, bucket: services.bucket, newKey, save }, upload.transfer);
    return await storeResult(run, leased, result);
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

async function storeResult(
  run: MediaRun,
  leased: Upload,
  transferred: TransferResult,
): Promise<Upload | null> {
  const { table, bucket, now } = run.services;
  const result = await withinAllowance(run, leased, transferred);
  const stored = await replaceUpload(table, leased, uploadAfter(leased, result, now()));
  if (!stored && result.type === 'done') await deleteUnlessKept(run, leased, result.key);
  if (stored?.status === 'failed' && result.type === 'more')
    await abandonTransfer({ bucket, transfer: result.transfer });
  return stored;
}

/** Deletes the file of a run that lost its lease, unless the worker that has it now keeps the same object. */
async function deleteUnlessKept({ services }: MediaRun, ref: UploadRef, key: string): Promise<void> {
  const upload = await getUpload(services.table, ref, services.now());
  if (upload?.key !== key) await deleteObject(services.bucket, key);
}

/** A file that exceeds the storage of the plan is deleted, and its import has failed. */
async function withinAllowance(
  { services }: MediaRun,
  leased: Upload,
  result: TransferResult,
): Promise<TransferResult> {
  if (result.type !== 'done' || (await tryReserve(services, uploadFile(leased), result.size))) return result;
  await deleteObject(services.bucket, result.key);
  return {
    type: 'failed',
    transfer: result.transfer,
    message: 'The file exceeds the storage limit of the plan',
  };
}

function uploadAfter(leased: Upload, result: TransferResult, now: number): Upload {
  if (result.type === 'done') {
    const { key, format, size } = result;
    return { ...withoutTransientFields(leased), status: 'ready', key, format, size, transfer: null };
  }
  if (result.type === 'failed' || now - leased.created_at > MAX_IMPORT_MS) {
    return {
      ...withoutTransientFields(leased),
      status: 'failed',
      error: result.message,
      key: null,
      transfer: null,
      ...endingAt(now + FAILED_RETENTION_MS),
    };
  }
  const wake_at = now + backoffAfter(result.transfer.failures);
  return { ...withTransfer(leased, result.transfer), lease_until: 0, wake_at };
}
