import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { conflict, notFound, validationFailed } from '../../shared/http/errors.ts';
import {
  findUploadedBytes,
  finishConfirmation,
  acquireUpload,
} from '../../shared/media/uploads/confirm-upload.ts';
import { startMediaWork } from '../../shared/media/work.ts';
import { SWEEP_GRACE_MS } from '../../shared/media/transfer/media-run.ts';
import { reserve, uploadFile } from '../../shared/media/storage-allowance.ts';
import { isUuid } from '../../shared/model/id.ts';
import type { Upload } from '../../shared/model/upload.ts';
import { errorOf } from '../../shared/posts/error.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { replaceUpload } from '../../shared/store/uploads.ts';
import { SECOND } from '../../shared/time/instant.ts';
import { findUpload } from './get.ts';
import { UploadView, uploadView } from './view.ts';

/** Larger files are checked and moved by the importer, not within the request. */
const INLINE_BYTES = 1024 ** 3;
/** The time budget of a request; the importer finishes what it began. */
const REQUEST_BUDGET_MS = 25 * SECOND;

export const confirmUpload = route({
  method: 'POST',
  path: '/upload-media/confirm',
  operation_id: 'confirmUpload',
  summary: 'Confirm that a file was uploaded',
  description:
    'Checks the file and serves it under its `public_url` from then on. Later uploads to the presigned URL change ' +
    'nothing. A confirmation can be repeated.',
  tag: 'Uploads',
  auth: 'key',
  body: { upload_id: v.string() },
  responses: {
    200: { description: 'The file is ready', schema: UploadView },
    202: {
      description: 'The file is large and still being processed; poll GET for its status',
      schema: UploadView,
    },
    403: { description: 'The file exceeds the storage of the plan', codes: ['STORAGE_LIMIT'] },
    404: { description: 'Upload not found, or not confirmed within a day' },
    409: {
      description: 'Nothing was uploaded, or not every part',
      codes: ['NOT_UPLOADED', 'UPLOAD_EXPIRED'],
    },
  },
  handler: async ({ body, principal }, services) => {
    if (!isUuid(body.upload_id)) throw notFound('Upload');
    const upload = await findUpload(services, principal, body.upload_id.toLowerCase());
    const after = upload.status === 'pending' ? await confirm(services, upload) : upload;
    if (after.status === 'failed') throw validationError(after.error ?? 'The upload failed');
    return { status: after.status === 'ready' ? 200 : 202, body: uploadView(services.bucket, after) };
  },
});

/** Throws 409 where nothing was uploaded, 403 where it exceeds the storage of the plan, 400 where it is not as announced. */
async function confirm(services: Services, upload: Upload): Promise<Upload> {
  const uploaded = await findUploadedBytes(services.bucket, upload);
  if (!uploaded) throw notUploaded(upload, services.now());
  await reserve(services, uploadFile(upload), uploaded.size);
  const deadline = services.now() + REQUEST_BUDGET_MS;
  const run = { services, remainingMs: () => deadline - services.now() };
  const leased = await acquireUpload(run, upload, uploaded);
  if (!leased) return findAgain(services, upload);
  if (uploaded.size > INLINE_BYTES) return handOver(services, leased);
  const outcome = await finishConfirmation(services, leased);
  if (outcome.type === 'invalid') throw validationError(outcome.message);
  if (outcome.type === 'absent') throw conflict(outcome.message, { code: 'NOT_UPLOADED' });
  return outcome.type === 'ready' ? outcome.upload : findAgain(services, upload);
}

/** Another request was faster: its result counts. */
async function findAgain(services: Services, { workspace_id, upload_id }: Upload): Promise<Upload> {
  const upload = await findUpload(services, { workspace_id }, upload_id);
  if (upload.status === 'pending')
    throw conflict('The upload is being confirmed by another request', { code: 'NOT_UPLOADED' });
  return upload;
}

/** Leaves a large file to the importer. If this fails, the sweeper starts the importer. */
async function handOver(services: Services, leased: Upload): Promise<Upload> {
  const released = { ...leased, lease_until: 0, wake_at: services.now() + SWEEP_GRACE_MS };
  const stored = await replaceUpload(services.table, leased, released);
  const { workspace_id, upload_id } = leased;
  await startMediaWork(services, { kind: 'upload', workspace_id, upload_id }).catch(() => undefined);
  return stored ?? leased;
}

const validationError = (message: string) => validationFailed([errorOf('upload_id', message)]);

function notUploaded({ direct }: Upload, now: number) {
  const isExpired = direct !== null && direct.url_expires_at <= now;
  if (isExpired) {
    return conflict('The presigned URL expired before anything was uploaded. Request a new one', {
      code: 'UPLOAD_EXPIRED',
    });
  }
  const message = direct?.multipart
    ? 'Not every part has been uploaded yet'
    : 'Nothing has been uploaded yet';
  return conflict(message, { code: 'NOT_UPLOADED' });
}
