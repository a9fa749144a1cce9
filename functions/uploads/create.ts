import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { profileNameField } from '../../shared/http/fields.ts';
import { formFile } from '../../shared/http/form.ts';
import { fileUrl } from '../../shared/media/file-url.ts';
import { errorOf } from '../../shared/posts/error.ts';
import { MAX_URL_LENGTH } from '../../shared/net/public-url.ts';
import { MAX_FORM_BYTES } from './from-form.ts';
import { storeUpload, uploadResponses } from './store-upload.ts';

const ACCEPTED =
  'For larger files use `/upload-media/presign`. The type is detected from the bytes. Accepted: MP4, MOV, AVI, WMV, ' +
  'FLV, WebM, 3GP, MKV, JPG, PNG, GIF, WebP, BMP and PDF.';

/** A browser sends the inputs of a form that were left empty, too. */
const optionalUrl = v.pipe(
  v.optional(v.string()),
  v.transform(url => (url?.trim() === '' ? undefined : url)),
  v.optional(fileUrl(MAX_URL_LENGTH)),
);
const optionalFile = v.pipe(
  v.optional(formFile),
  v.transform(file => (file?.name === '' && file.bytes().byteLength === 0 ? undefined : file)),
);

const isAbsent = (schema: v.GenericSchema, value: unknown) => {
  const parsed = v.safeParse(schema, value);
  return parsed.success && parsed.output === undefined;
};

export const createUpload = route({
  method: 'POST',
  path: '/upload-media',
  operation_id: 'uploadMedia',
  summary: 'Upload a file, or import one by its URL',
  description:
    `Send a multipart form with \`file\` (up to ${MAX_FORM_BYTES} bytes) and \`profile_name\`, or JSON with \`url\` and ` +
    `\`profile_name\`. Share links of Google Drive and Dropbox are converted to direct links. ${ACCEPTED}`,
  tag: 'Uploads',
  auth: 'key',
  body: {
    profile_name: profileNameField,
    url: optionalUrl,
    file: optionalFile,
  },
  body_errors: ({ url, file }) =>
    isAbsent(optionalUrl, url) === isAbsent(optionalFile, file)
      ? [errorOf('file', 'Send exactly one of file (in a multipart form) and url')]
      : [],
  takes_form: true,
  body_docs: { url: fileUrl(MAX_URL_LENGTH) },
  form_docs: { profile_name: profileNameField, file: formFile },
  body_example: { profile_name: 'Acme Coffee', url: 'https://cdn.example.com/blend.mp4' },
  responses: uploadResponses,
  handler: (request, services) => storeUpload(services, request),
});

export const uploadFile = route({
  method: 'POST',
  path: '/upload-media/file',
  operation_id: 'uploadFile',
  summary: 'Upload a file',
  description:
    'The form of `/upload-media` as an operation of its own, for generated clients that know one content type for each ' +
    `operation. A file can have up to ${MAX_FORM_BYTES} bytes. ${ACCEPTED}`,
  tag: 'Uploads',
  auth: 'key',
  body: { profile_name: profileNameField, file: formFile },
  takes_form: true,
  responses: uploadResponses,
  handler: (request, services) => storeUpload(services, request),
});
