import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { validationFailed } from '../../shared/http/errors.ts';
import { assertStorageLeft } from '../../shared/media/uploads/storage-allowance.ts';
import { formFile } from '../../shared/http/form.ts';
import { urlProblem } from '../../shared/net/http.ts';
import { fieldError, profileName } from './fields.ts';
import { MAX_FORM_BYTES, uploadFromForm } from './from-form.ts';
import { uploadFromUrl } from './from-url.ts';
import { findProfile } from './new-upload.ts';
import { UploadView, uploadView } from './view.ts';

const MAX_URL = 2048;

const url = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(MAX_URL, `Must be at most ${MAX_URL} characters`),
  // The address that its host name resolves to is checked when the file is fetched.
  v.rawCheck(({ dataset, addIssue }) => {
    const message = dataset.typed ? urlProblem(dataset.value) : null;
    if (message !== null) addIssue({ message });
  }),
);

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
  body: { profile_name: profileName, url: v.optional(url), file: v.optional(formFile) },
  takes_form: true,
  body_example: { profile_name: 'Acme Coffee', url: 'https://cdn.example.com/blend.mp4' },
  responses: {
    201: { description: 'The file is ready', schema: UploadView },
    202: {
      description: 'The file is large or slow and still being imported; poll GET for its status',
      schema: UploadView,
    },
    403: { description: 'The file exceeds the storage of the plan (`STORAGE_LIMIT`)' },
    404: { description: 'Profile not found' },
  },
  handler: async ({ body, principal, base_url, newResourceId }, services) => {
    const given = [body.file, body.url].filter(each => each !== undefined).length;
    if (given !== 1) {
      throw validationFailed([fieldError('file', 'Send exactly one of file (in a multipart form) and url')]);
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
