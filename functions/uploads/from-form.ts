import { ApiError, validationFailed } from '../../shared/http/errors.ts';
import type { FormFile } from '../../shared/http/form.ts';
import { randomKey } from '../../shared/media/transfer/media-run.ts';
import { checkBytesIntegrity } from '../../shared/media/check-integrity.ts';
import { reserveForUpload } from '../../shared/media/uploads/storage-allowance.ts';
import { FILE_OF_FORMAT } from '../../shared/model/media.ts';
import type { Profile } from '../../shared/model/profile.ts';
import type { Upload } from '../../shared/model/upload.ts';
import { errorOf } from '../../shared/posts/error.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { deleteObject, MEDIA, putObject } from '../../shared/store/objects.ts';
import { cleanName } from './file-name.ts';
import { emptyUpload, storeOnce } from './new-upload.ts';

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
  const key = randomKey(MEDIA, format);
  const wanted: Upload = {
    ...emptyUpload(id, profile, cleanName(file.name), services.now()),
    status: 'ready',
    format,
    size: bytes.byteLength,
    key,
  };
  await reserveForUpload(services, wanted, bytes.byteLength);
  await putObject(services.bucket, key, bytes, FILE_OF_FORMAT[format].type);
  const upload = await storeOnce(services, wanted);
  if (upload.key !== key) await deleteObject(services.bucket, key);
  return upload;
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
