import * as v from 'valibot';
import { FILE_OF_FORMAT } from '../../shared/model/media.ts';
import { UPLOAD_STATUSES, type Upload } from '../../shared/model/upload.ts';
import { publicUrlOf, type Bucket } from '../../shared/store/objects.ts';
import { toIso } from '../../shared/time/instant.ts';

/** An upload as the API shows it. */
export const UploadView = v.pipe(
  v.object({
    upload_id: v.string(),
    public_url: v.pipe(
      v.nullable(v.string()),
      v.description('For `media_urls`, once it is `ready`; null until it is known what the file is'),
    ),
    file_name: v.string(),
    file_type: v.pipe(v.nullable(v.string()), v.description('Told from the bytes')),
    size: v.pipe(v.nullable(v.pipe(v.number(), v.integer())), v.description('Bytes')),
    status: v.pipe(
      v.picklist(UPLOAD_STATUSES),
      v.description(
        '`pending`: not confirmed. `processing`: on its way. `ready`: served, and never changed again',
      ),
    ),
    error: v.pipe(
      v.nullable(v.string()),
      v.description('Why it failed, or why what was put to its address was not taken'),
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
