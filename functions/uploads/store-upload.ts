import type { FormFile } from '../../shared/http/form.ts';
import type { ApiRequest } from '../../shared/http/route.ts';
import { assertStorageLeft } from '../../shared/media/storage-allowance.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { uploadFromForm } from './from-form.ts';
import { uploadFromUrl } from './from-url.ts';
import { findProfile } from './new-upload.ts';
import { UploadView, uploadView } from './view.ts';

interface UploadBody {
  profile_name: string;
  url?: string | undefined;
  file?: FormFile | undefined;
}

export const uploadResponses = {
  201: { description: 'The file is ready', schema: UploadView },
  202: {
    description: 'The file is large or slow and still being imported; poll GET for its status',
    schema: UploadView,
  },
  400: { description: 'The form, a field or the file is not accepted' },
  403: { description: 'The file exceeds the storage of the plan', codes: ['STORAGE_LIMIT'] as const },
  404: { description: 'Profile not found' },
};

/** Stores a file of a form, or imports one by its URL. */
export async function storeUpload(
  services: Services,
  { body, principal, base_url, newResourceId }: ApiRequest<unknown, unknown, UploadBody, 'key'>,
) {
  const { profile_name, url, file } = body;
  const profile = await findProfile(services, principal, profile_name);
  if (!file) await assertStorageLeft(services, principal.workspace_id, null);
  const id = newResourceId();
  const upload = file
    ? await uploadFromForm(services, { id, profile, file, base_url })
    : await uploadFromUrl(services, { id, profile, url: url ?? '' });
  return {
    status: upload.status === 'ready' ? 201 : 202,
    body: uploadView(services.bucket, upload),
    headers: { location: `${new URL(base_url).pathname}/upload-media/${upload.upload_id}` },
  } as const;
}
