import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { validationFailed } from '../../shared/http/errors.ts';
import { profileNameField } from '../../shared/http/fields.ts';
import { formFile } from '../../shared/http/form.ts';
import { fileUrl } from '../../shared/media/file-url.ts';
import { assertStorageLeft } from '../../shared/media/storage-allowance.ts';
import { MAX_URL_LENGTH } from '../../shared/platforms/kit/fields.ts';
import { errorOf } from '../../shared/posts/error.ts';
import { MAX_FORM_BYTES, uploadFromForm } from './from-form.ts';
import { uploadFromUrl } from './from-url.ts';
import { findProfile } from './new-upload.ts';
import { UploadView, uploadView } from './view.ts';

export const createUpload = route({
  method: 'POST',
  path: '/upload-media',
  operation_id: 'uploadMedia',
  summary: 'Upload a file, or import one by its URL',
  description:
    `Send a multipart form with \`file\` (up to ${MAX_FORM_BYTES} bytes) and \`profile_name\`, or JSON with \`url\` and ` +
    '`profile_name`. For larger files use `/upload-media/presign`. Share links of Google Drive and Dropbox are ' +
    'converted to direct links. The type is detected from the bytes. Accepted: MP4, MOV, AVI, WMV, FLV, WebM, 3GP, ' +
    'MKV, JPG, PNG, GIF, WebP, BMP and PDF.',
  tag: 'Uploads',
  auth: 'key',
  body: {
    profile_name: profileNameField,
    url: v.optional(fileUrl(MAX_URL_LENGTH)),
    file: v.optional(formFile),
  },
  takes_form: true,
  body_docs: { url: fileUrl(MAX_URL_LENGTH) },
  form_docs: { profile_name: profileNameField, file: formFile },
  body_example: { profile_name: 'Acme Coffee', url: 'https://cdn.example.com/blend.mp4' },
  responses: {
    201: { description: 'The file is ready', schema: UploadView },
    202: {
      description: 'The file is large or slow and still being imported; poll GET for its status',
      schema: UploadView,
    },
    403: { description: 'The file exceeds the storage of the plan', codes: ['STORAGE_LIMIT'] },
    404: { description: 'Profile not found' },
  },
  handler: async ({ body, principal, base_url, newResourceId }, services) => {
    const given = [body.file, body.url].filter(each => each !== undefined).length;
    if (given !== 1) {
      throw validationFailed([errorOf('file', 'Send exactly one of file (in a multipart form) and url')]);
    }
    const profile = await findProfile(services, principal, body.profile_name);
    if (!body.file) await assertStorageLeft(services, principal.workspace_id, null);
    const id = newResourceId();
    const upload = body.file
      ? await uploadFromForm(services, { id, profile, file: body.file, base_url })
      : await uploadFromUrl(services, { id, profile, url: body.url ?? '' });
    return {
      status: upload.status === 'ready' ? 201 : 202,
      body: uploadView(services.bucket, upload),
      headers: { location: `${new URL(base_url).pathname}/upload-media/${upload.upload_id}` },
    };
  },
});
