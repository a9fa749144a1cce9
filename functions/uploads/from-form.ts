import { ApiError, validationFailed } from '../../shared/http/errors.ts';
import type { FormFile } from '../../shared/http/form.ts';
import { randomKey } from '../../shared/media/run.ts';
import { checkBytesIntegrity } from '../../shared/media/integrity.ts';
import { FILE_OF_FORMAT } from '../../shared/model/media.ts';
import type { Profile } from '../../shared/model/profile.ts';
import type { Upload } from '../../shared/model/upload.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { deleteObject, MEDIA, putObject } from '../../shared/store/objects.ts';
import { cleanName, fault } from './fields.ts';
import { emptyUpload, storeOnce } from './new-upload.ts';

/** What the gateway passes on to a function, in base64, leaves room for this. */
export const MAX_FORM_BYTES = 4 * 1024 ** 2;

interface FormUpload {
  id: string;
  profile: Profile;
  file: FormFile;
  base_url: string;
}

/** Takes in a file that came with its request. Throws 400 for what the service does not take, 413 for too much. */
export async function uploadFromForm(
  services: Services,
  { id, profile, file, base_url }: FormUpload,
): Promise<Upload> {
  const bytes = file.bytes();
  if (bytes.byteLength > MAX_FORM_BYTES) throw tooLarge(base_url);
  const verdict = await checkBytesIntegrity(bytes);
  if ('fault' in verdict) throw refused(verdict.fault.replace('The link gives', 'It is'));
  const { format } = verdict;
  const key = randomKey(MEDIA, format);
  const wanted: Upload = {
    ...emptyUpload(id, profile, cleanName(file.name), services.now()),
    status: 'ready',
    format,
    size: bytes.byteLength,
    key,
  };
  await putObject(services.bucket, key, bytes, FILE_OF_FORMAT[format].type);
  const upload = await storeOnce(services, wanted);
  if (upload.key !== key) await deleteObject(services.bucket, key);
  return upload;
}

const refused = (message: string) => validationFailed([fault('file', message)]);

const tooLarge = (baseUrl: string) =>
  new ApiError({
    status: 413,
    body: {
      error: `A form may carry a file of ${MAX_FORM_BYTES} bytes; ask for an address to put a larger one to`,
      code: 'BODY_TOO_LARGE',
      max_bytes: MAX_FORM_BYTES,
      presign_endpoint: `${baseUrl}/upload-media/presign`,
    },
  });
