import { validationFailed } from '../../shared/http/errors.ts';
import { importUpload } from '../../shared/media/uploads/import-upload.ts';
import { startMediaWork } from '../../shared/media/work.ts';
import { SWEEP_GRACE_MS, type MediaRun } from '../../shared/media/transfer/media-run.ts';
import type { Profile } from '../../shared/model/profile.ts';
import { newTransfer } from '../../shared/model/transfer.ts';
import type { Upload } from '../../shared/model/upload.ts';
import { createHttpClient, type HttpClient } from '../../shared/net/http.ts';
import { errorOf } from '../../shared/posts/error.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { deleteUpload } from '../../shared/store/uploads.ts';
import { SECOND } from '../../shared/time/instant.ts';
import { cleanName } from './file-name.ts';
import { emptyUpload, storeOnce } from './new-upload.ts';

/** What a request downloads itself; everything else is left to the importer. */
const REQUEST_BUDGET_MS = 12 * SECOND;
const INLINE_BYTES = 16 * 1024 ** 2;

interface UrlUpload {
  id: string;
  profile: Profile;
  url: string;
}

/** Imports a file by its URL, a small one within the request. Throws 400 where the URL leads to no accepted file. */
export async function uploadFromUrl(services: Services, { id, profile, url }: UrlUpload): Promise<Upload> {
  const now = services.now();
  const upload = await storeOnce(services, {
    ...emptyUpload(id, profile, nameIn(url), now),
    transfer: newTransfer(url),
    wake_at: now + SWEEP_GRACE_MS,
  });
  if (upload.status !== 'processing') return upload;
  const http = createHttpClient();
  try {
    return await importWithinRequest(services, http, upload);
  } finally {
    http.close();
  }
}

async function importWithinRequest(services: Services, http: HttpClient, upload: Upload): Promise<Upload> {
  const deadline = services.now() + REQUEST_BUDGET_MS;
  const run: MediaRun = {
    services,
    http,
    remainingMs: () => deadline - services.now(),
    maxInlineBytes: INLINE_BYTES,
    maxFailures: 2,
  };
  const after = await importUpload(run, upload).catch((error: unknown) => {
    log.warn('Could not import within the request; the importer continues', {
      upload_id: upload.upload_id,
      ...describeError(error),
    });
    return null;
  });
  if (after?.status === 'processing') await leaveToImporter(services, after);
  // Without a result, the upload is leased until the sweeper starts the importer.
  if (after?.status !== 'failed') return after ?? upload;
  await deleteUpload(services.table, after);
  throw validationFailed([errorOf('url', after.error ?? 'Leads to no file')]);
}

/** If this fails, the sweeper starts the importer. */
async function leaveToImporter(services: Services, { workspace_id, upload_id }: Upload): Promise<void> {
  await startMediaWork(services, { kind: 'upload', workspace_id, upload_id }).catch(() => undefined);
}

/** Returns the file name in a URL's path. */
function nameIn(url: string): string {
  const path = new URL(url).pathname;
  try {
    return cleanName(decodeURIComponent(path));
  } catch {
    return cleanName(path);
  }
}
