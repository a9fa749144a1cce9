import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { profileNameField } from '../../shared/http/fields.ts';
import type { BodyErrors } from '../../shared/http/route.ts';
import { assertStorageLeft } from '../../shared/media/storage-allowance.ts';
import { unconfirmedUntil } from '../../shared/media/uploads/confirm-upload.ts';
import { randomKey } from '../../shared/media/transfer/media-run.ts';
import {
  FILE_OF_FORMAT,
  formatOfType,
  MAX_BYTES,
  MEDIA_FORMATS,
  type MediaFormat,
} from '../../shared/model/media.ts';
import type { Upload } from '../../shared/model/upload.ts';
import { errorOf } from '../../shared/posts/error.ts';
import { beginAssembly, MAX_SINGLE_BYTES } from '../../shared/store/multipart-objects.ts';
import { MEDIA, PENDING, publicUrlOf, type Bucket } from '../../shared/store/objects.ts';
import { signPart, signPut } from '../../shared/store/signed-objects.ts';
import { HOUR, SECOND, toIso } from '../../shared/time/instant.ts';
import { cleanName } from './file-name.ts';
import { emptyUpload, findProfile, storeOnce } from './new-upload.ts';

/** How long a presigned URL is valid. The credentials that sign it may expire earlier. */
const SINGLE_MS = 1 * HOUR;
const PARTS_MS = 6 * HOUR;

/** So many URLs fit into one response, and parts of the largest file stay within S3's part size limit. */
const MAX_PART_URLS = 1000;
const MIB = 1024 ** 2;
const MIN_PART_SIZE = 64 * MIB;

/** `presigned_url` with its `headers`, or `parts` with their `part_size`. */
const PresignedUpload = v.pipe(
  v.object({
    upload_id: v.string(),
    public_url: v.pipe(v.string(), v.description('Where the file is served once it is confirmed')),
    expires_at: v.pipe(v.string(), v.description('When the presigned URLs expire')),
    presigned_url: v.optional(
      v.pipe(v.string(), v.description('For a file of up to 5 GB: PUT the bytes here with the `headers`')),
    ),
    headers: v.optional(v.record(v.string(), v.string())),
    parts: v.optional(
      v.pipe(
        v.array(v.object({ part_number: v.pipe(v.number(), v.integer()), presigned_url: v.string() })),
        v.description(
          'For a larger file: PUT each part to its URL, in any order; all but the last have `part_size` bytes',
        ),
      ),
    ),
    part_size: v.optional(v.pipe(v.number(), v.integer())),
  }),
  v.title('PresignedUpload'),
);

const TYPES = Object.values(FILE_OF_FORMAT).map(({ type }) => type);

/** A MIME type with the format that it names. */
const fileTypeField = v.pipe(
  v.string(),
  v.metadata({ openapi: { type: 'string', minLength: 1 } }),
  v.trim(),
  v.rawTransform<string, { type: string; format: MediaFormat }>(({ dataset, addIssue, NEVER }) => {
    const type = dataset.value;
    const format = formatOfType(type);
    if (format !== null && /^[\x20-\x7e]+$/.test(type)) return { type, format };
    addIssue({ message: `Must be one of ${TYPES.join(', ')}` });
    return NEVER;
  }),
);

/** Returns an error for a file that is larger than its kind may be. */
const sizeErrors: BodyErrors = ({ file_type, file_size }) => {
  const parsed = v.safeParse(fileTypeField, file_type);
  if (!parsed.success || typeof file_size !== 'number') return [];
  const { format } = parsed.output;
  const limit = MAX_BYTES[MEDIA_FORMATS[format]];
  return file_size > limit ? [errorOf('file_size', `Must be at most ${limit} bytes for ${format}`)] : [];
};

export const presignUpload = route({
  method: 'POST',
  path: '/upload-media/presign',
  operation_id: 'presignUpload',
  summary: 'Create a presigned URL to upload a file',
  description:
    'PUT the bytes to `presigned_url` with the returned `headers`, then confirm the upload. For a file above 5 GB send ' +
    '`file_size` to get a URL for each part. Unconfirmed uploads are deleted after a day. S3 answers the PUT with ' +
    '403 `SignatureDoesNotMatch` where the Content-Type is missing or different, `AccessDenied` after `expires_at`.',
  tag: 'Uploads',
  auth: 'key',
  creates: true,
  body: {
    profile_name: profileNameField,
    file_name: v.pipe(v.string(), v.nonEmpty('Must not be empty')),
    file_type: fileTypeField,
    file_size: v.nullish(
      v.pipe(v.number(), v.integer('Must be whole bytes'), v.minValue(1, 'Must be at least 1')),
    ),
  },
  body_errors: sizeErrors,
  body_example: { profile_name: 'Acme Coffee', file_name: 'blend.mp4', file_type: 'video/mp4' },
  responses: {
    200: { description: 'One presigned URL, or one for each part', schema: PresignedUpload },
    403: { description: 'The file exceeds the storage of the plan', codes: ['STORAGE_LIMIT'] },
    404: { description: 'Profile not found' },
  },
  handler: async ({ body, principal, newResourceId }, services) => {
    const { file_size } = body;
    const { type, format } = body.file_type;
    const profile = await findProfile(services, principal, body.profile_name);
    await assertStorageLeft(services, principal.workspace_id, file_size ?? null);
    const now = services.now();
    const key = randomKey(MEDIA, format);
    const isLarge = file_size != null && file_size > MAX_SINGLE_BYTES;
    const multipart = isLarge ? await beginParts(services.bucket, key, format, file_size) : null;
    const upload = await storeOnce(services, {
      ...emptyUpload(newResourceId(), profile, cleanName(body.file_name), now),
      status: 'pending',
      format,
      key,
      direct: {
        pending_key: PENDING + randomBytes(24).toString('base64url'),
        url_expires_at: now + (isLarge ? PARTS_MS : SINGLE_MS),
        multipart,
        etag: null,
      },
      ...unconfirmedUntil(now),
    });
    return { status: 200, body: await presignedUpload(services.bucket, upload, type, now) };
  },
});

/** The object is stored with the type of its format, whatever spelling and parameters the request has. */
async function beginParts(bucket: Bucket, key: string, format: MediaFormat, file_size: number) {
  const { s3_upload_id } = await beginAssembly(bucket, key, FILE_OF_FORMAT[format].type);
  const part_size = Math.max(MIN_PART_SIZE, Math.ceil(file_size / MAX_PART_URLS / MIB) * MIB);
  return { s3_upload_id, part_size, file_size };
}

async function presignedUpload(bucket: Bucket, upload: Upload, type: string, now: number) {
  const { upload_id, key, direct } = upload;
  if (key === null || !direct) throw new Error('The upload is not a direct upload');
  const common = {
    upload_id,
    public_url: publicUrlOf(bucket, key),
    expires_at: toIso(direct.url_expires_at),
  };
  const seconds = Math.max(1, Math.floor((direct.url_expires_at - now) / SECOND));
  if (!direct.multipart) {
    const presigned_url = await signPut(bucket, direct.pending_key, type, seconds);
    return { ...common, presigned_url, headers: { 'Content-Type': type } };
  }
  const { s3_upload_id, part_size, file_size } = direct.multipart;
  const numbers = Array.from({ length: Math.ceil(file_size / part_size) }, (_, index) => index + 1);
  const parts = await Promise.all(
    numbers.map(async part_number => ({
      part_number,
      presigned_url: await signPart(bucket, { key, s3_upload_id }, part_number, seconds),
    })),
  );
  return { ...common, parts, part_size };
}
