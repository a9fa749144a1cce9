import { validationFailed } from '../../shared/http/errors.ts';
import { importUpload } from '../../shared/media/import-upload.ts';
import { sendMediaMessage } from '../../shared/media/messages.ts';
import { GRACE_MS, type MediaRun } from '../../shared/media/run.ts';
import type { Profile } from '../../shared/model/profile.ts';
import { newTransfer } from '../../shared/model/transfer.ts';
import type { Upload } from '../../shared/model/upload.ts';
import { createHttpClient, type HttpClient } from '../../shared/net/http.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { deleteUpload } from '../../shared/store/uploads.ts';
import { SECOND } from '../../shared/time/instant.ts';
import { cleanName, fault } from './fields.ts';
import { emptyUpload, storeOnce } from './new-upload.ts';

/** A request waits so long for the file itself, and takes so much of it in. What is left is the importer's. */
const PATIENCE_MS = 12 * SECOND;
const INLINE_BYTES = 16 * 1024 ** 2;

interface UrlUpload {
  id: string;
  profile: Profile;
  url: string;
}

/** Imports a file by its URL: a small one at once. Throws 400 where the URL gives no file that the service takes. */
export async function uploadFromUrl(services: Services, { id, profile, url }: UrlUpload): Promise<Upload> {
  const now = services.now();
  const upload = await storeOnce(services, {
    ...emptyUpload(id, profile, nameIn(url), now),
    transfer: newTransfer(url),
    wake_at: now + GRACE_MS,
  });
  if (upload.status !== 'processing') return upload;
  const http = createHttpClient();
  try {
    return await tryAtOnce(services, http, upload);
  } finally {
    http.close();
  }
}

async function tryAtOnce(services: Services, http: HttpClient, upload: Upload): Promise<Upload> {
  const deadline = services.now() + PATIENCE_MS;
  const run: MediaRun = {
    services,
    http,
    remainingMs: () => deadline - services.now(),
    leaveAfterBytes: INLINE_BYTES,
    patience: 2,
  };
  const after = await importUpload(run, upload).catch((error: unknown) => {
    log.warn('An import goes on without its request', {
      upload_id: upload.upload_id,
      ...describeError(error),
    });
    return null;
  });
  if (after?.status !== 'failed') return after ?? (await leftToImporter(services, upload));
  await deleteUpload(services.table, after);
  throw validationFailed([fault('url', after.error ?? 'Gives no file')]);
}

/** The sweeper would find it too, a little later. */
async function leftToImporter(services: Services, upload: Upload): Promise<Upload> {
  const { workspace_id, upload_id } = upload;
  await sendMediaMessage(services, { kind: 'upload', workspace_id, upload_id }, PATIENCE_MS).catch(
    () => undefined,
  );
  return upload;
}

/** The last part of a URL's path, as far as it is a name. */
function nameIn(url: string): string {
  const path = new URL(url).pathname;
  try {
    return cleanName(decodeURIComponent(path));
  } catch {
    return cleanName(path);
  }
}
