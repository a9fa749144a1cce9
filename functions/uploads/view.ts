import * as v from 'valibot';
import { FILE_OF_FORMAT } from '../../shared/model/media.ts';
import { UPLOAD_STATUSES, type Upload } from '../../shared/model/upload.ts';
import { publicUrlOf, type Bucket } from '../../shared/store/objects.ts';
import { toIso } from '../../shared/time/instant.ts';

/** An upload as the API returns it. */
export const UploadView = v.pipe(
  v.object({
    upload_id: v.string(),
    public_url: v.pipe(
      v.nullable(v.string()),
      v.description('Use it in `media_urls` once the upload is `ready`; null until the format is known'),
    ),
    file_name: v.string(),
    file_type: v.pipe(v.nullable(v.string()), v.description('Detected from the bytes')),
    size: v.pipe(v.nullable(v.pipe(v.number(), v.integer())), v.description('Bytes')),
    status: v.pipe(
      v.picklist(UPLOAD_STATUSES),
      v.description(
        '`pending`: not confirmed. `processing`: being imported or checked. `ready`: served, and never changed again',
      ),
    ),
    error: v.pipe(
      v.nullable(v.string()),
      v.description('Why it failed, or why the uploaded file was not accepted'),
    ),
    created_at: v.string(),
  }),
  v.title('Upload'),
);

export function uploadView(
  bucket: Pick<Bucket, 'publicUrl'>,
  upload: Upload,
): v.InferOutput<typeof UploadView> {
  const { upload_id, key, file_name, format, size, status, error, created_at } = upload;
  return {
    upload_id,
    public_url: key === null ? null : publicUrlOf(bucket, key),
    file_name,
    file_type: format && FILE_OF_FORMAT[format].type,
    size,
    status,
    error,
    created_at: toIso(created_at),
  };
}
