import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { conflict, notFound, validationFailed } from '../../shared/http/errors.ts';
import { arrivalOf, finishConfirmation, acquireUpload } from '../../shared/media/confirm-upload.ts';
import { sendMediaMessage } from '../../shared/media/messages.ts';
import { GRACE_MS, type MediaRun } from '../../shared/media/run.ts';
import { isUuid } from '../../shared/model/id.ts';
import type { Upload } from '../../shared/model/upload.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { replaceUpload } from '../../shared/store/uploads.ts';
import { SECOND } from '../../shared/time/instant.ts';
import { fault } from './fields.ts';
import { findUpload } from './get.ts';
import { UploadView, uploadView } from './view.ts';

/** So much is looked at and moved within one request; larger files are the importer's. */
const INLINE_BYTES = 1024 ** 3;
/** A request that is answered by then; the importer finishes what was begun. */
const PATIENCE_MS = 25 * SECOND;

export const confirmUpload = route({
  method: 'POST',
  path: '/upload-media/confirm',
  operation_id: 'confirmUpload',
  summary: 'Say that a file was put to its address',
  description:
    'The file is looked at, and served under its `public_url` from then on. What is put to the address afterwards ' +
    'changes nothing. A confirmation may be repeated.',
  tag: 'Uploads',
  auth: 'key',
  body: { upload_id: v.string() },
  responses: {
    200: { description: 'The file is there', schema: UploadView },
    202: {
      description: 'The file is large: it is being put in its place, and GET tells when',
      schema: UploadView,
    },
    404: { description: 'No such upload, or one that nobody confirmed within a day' },
    409: {
      description: 'Nothing was put to the address, or not every part',
      example: { error: 'Nothing has been uploaded yet', code: 'NOT_UPLOADED' },
    },
  },
  handler: async ({ body, principal }, services) => {
    if (!isUuid(body.upload_id)) throw notFound('Upload');
    const upload = await findUpload(services, principal, body.upload_id);
    const after = upload.status === 'pending' ? await confirm(services, upload) : upload;
    if (after.status === 'failed') throw refused(after.error ?? 'It failed');
    return { status: after.status === 'ready' ? 200 : 202, body: uploadView(services.bucket, after) };
  },
});

/** Throws 409 for what is not there, 400 for what is not as announced. */
async function confirm(services: Services, upload: Upload): Promise<Upload> {
  const arrival = await arrivalOf(services.bucket, upload);
  if (!arrival) throw notUploaded(upload, services.now());
  const deadline = services.now() + PATIENCE_MS;
  const http = createHttpClient();
  const run: MediaRun = {
    services,
    http,
    remainingMs: () => deadline - services.now(),
    leaveAfterBytes: INLINE_BYTES,
    patience: 1,
  };
  const held = await acquireUpload(run, upload, arrival);
  if (!held) return findAgain(services, upload);
  if (arrival.size > INLINE_BYTES) return leave(services, held);
  const outcome = await finishConfirmation(run, held);
  if (outcome.type === 'unfit') throw refused(outcome.message);
  if (outcome.type === 'absent') throw conflict(outcome.message, { code: 'NOT_UPLOADED' });
  return outcome.type === 'ready' ? outcome.upload : findAgain(services, upload);
}

/** Another request was faster: what it made of the upload counts. */
async function findAgain(services: Services, { workspace_id, upload_id }: Upload): Promise<Upload> {
  const upload = await findUpload(services, { workspace_id }, upload_id);
  if (upload.status === 'pending') throw conflict('The upload is being confirmed', { code: 'NOT_UPLOADED' });
  return upload;
}

/** Hands a large file to the importer. The sweeper would find it too, a little later. */
async function leave(services: Services, held: Upload): Promise<Upload> {
  const free = { ...held, lease_until: 0, wake_at: services.now() + GRACE_MS };
  const left = await replaceUpload(services.table, held, free);
  const { workspace_id, upload_id } = held;
  await sendMediaMessage(services, { kind: 'upload', workspace_id, upload_id }).catch(() => undefined);
  return left ?? held;
}

const refused = (message: string) => validationFailed([fault('upload_id', message)]);

function notUploaded({ direct }: Upload, now: number) {
  const isOver = direct !== null && direct.url_expires_at <= now;
  if (isOver) {
    return conflict('Nothing was uploaded before the address expired: ask for another one', {
      code: 'UPLOAD_EXPIRED',
    });
  }
  const what = direct?.multipart ? 'Not every part has been uploaded yet' : 'Nothing has been uploaded yet';
  return conflict(what, { code: 'NOT_UPLOADED' });
}
