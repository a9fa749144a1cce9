import { ApiError, validationFailed } from '../../shared/http/errors.ts';
import type { FormFile } from '../../shared/http/form.ts';
import { randomKey } from '../../shared/media/transfer/media-run.ts';
import { checkBytesIntegrity } from '../../shared/media/check-integrity.ts';
import { reserve, uploadFile } from '../../shared/media/storage-allowance.ts';
import { endingAt, withoutTransientFields } from '../../shared/media/uploads/ending.ts';
import { removeUpload } from '../../shared/media/uploads/remove-upload.ts';
import { FILE_OF_FORMAT } from '../../shared/model/media.ts';
import type { Profile } from '../../shared/model/profile.ts';
import type { Upload } from '../../shared/model/upload.ts';
import { errorOf } from '../../shared/posts/error.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { MEDIA, putObject } from '../../shared/store/objects.ts';
import { replaceUpload } from '../../shared/store/uploads.ts';
import { MINUTE } from '../../shared/time/instant.ts';
import { cleanName } from './file-name.ts';
import { emptyUpload, storeOnce } from './new-upload.ts';

/** A request that has not finished by then was interrupted. */
const UNFINISHED_MS = 10 * MINUTE;

/** What fits into the gateway's request limit after base64 encoding. */
export const MAX_FORM_BYTES = 4 * 1024 ** 2;

interface FormUpload {
  id: string;
  profile: Profile;
  file: FormFile;
  base_url: string;
}

/** Stores a file sent in a form. Throws 400 for a file that is not accepted, 413 for one that is too large. */
export async function uploadFromForm(
  services: Services,
  { id, profile, file, base_url }: FormUpload,
): Promise<Upload> {
  const bytes = file.bytes();
  if (bytes.byteLength > MAX_FORM_BYTES) throw tooLarge(base_url);
  const integrity = await checkBytesIntegrity(bytes);
  if ('problem' in integrity) throw validationError(integrity.problem);
  const { format } = integrity;
  const now = services.now();
  // Stored before anything that it holds, so that the rest of an interrupted request is removed.
  const upload = await storeOnce(services, {
    ...emptyUpload(id, profile, cleanName(file.name), now),
    format,
    size: bytes.byteLength,
    key: randomKey(MEDIA, format),
    ...endingAt(now + UNFINISHED_MS),
  });
  return upload.status === 'ready' ? upload : storeFile(services, upload, bytes);
}

async function storeFile(services: Services, upload: Upload, bytes: Uint8Array): Promise<Upload> {
  const { key, format } = upload;
  if (key === null || format === null) throw new Error('The upload has no key');
  try {
    await reserve(services, uploadFile(upload), bytes.byteLength);
  } catch (error) {
    await removeUpload(services, upload);
    throw error;
  }
  await putObject(services.bucket, key, bytes, FILE_OF_FORMAT[format].type);
  const ready: Upload = { ...withoutTransientFields(upload), status: 'ready' };
  return (await replaceUpload(services.table, upload, ready)) ?? ready;
}

const validationError = (message: string) => validationFailed([errorOf('file', message)]);

const tooLarge = (baseUrl: string) =>
  new ApiError({
    status: 413,
    body: {
      error: `A form can contain a file of up to ${MAX_FORM_BYTES} bytes. Request a presigned URL for a larger file`,
      code: 'BODY_TOO_LARGE',
      max_bytes: MAX_FORM_BYTES,
      presign_endpoint: `${baseUrl}/upload-media/presign`,
    },
  });
