import * as v from 'valibot';
import { MediaFormatSchema } from './media.ts';
import { TransferSchema } from './transfer.ts';

/** Epoch milliseconds. */
const Instant = v.pipe(v.number(), v.integer());

export const UPLOAD_STATUSES = ['pending', 'processing', 'ready', 'failed'] as const;

/**
 * A file of a profile in the bucket, or on its way there. `pending`: a presigned URL was issued, nothing is confirmed.
 * `processing`: a worker has the lease, or will. Only a `ready` one is served under `key`, and it never changes again.
 */
export const UploadSchema = v.object({
  upload_id: v.string(),
  workspace_id: v.string(),
  profile_id: v.string(),
  status: v.picklist(UPLOAD_STATUSES),
  /** Chosen by the user: data, never part of a path. */
  file_name: v.string(),
  /** Detected from the bytes; before that the announced format, or null. */
  format: v.nullable(MediaFormatSchema),
  /** Bytes; null while unknown. */
  size: v.nullable(v.number()),
  /** Where it is served; null until its format is known. */
  key: v.nullable(v.string()),
  error: v.nullable(v.string()),
  /** Only of an import by URL. */
  transfer: v.nullable(TransferSchema),
  /** Only of a direct upload: where its bytes are until they are confirmed. */
  direct: v.nullable(
    v.object({
      pending_key: v.string(),
      /** When the presigned URLs expire. */
      url_expires_at: Instant,
      /** Only of an upload in parts. */
      multipart: v.nullable(
        v.object({ s3_upload_id: v.string(), part_size: v.number(), file_size: v.number() }),
      ),
      /** The version of the bytes that is being confirmed: a later one is not. */
      etag: v.nullable(v.string()),
    }),
  ),
  /** End of the current worker's lease. */
  lease_until: Instant,
  /** Increases with every change. */
  revision: v.number(),
  created_at: Instant,
  /** When the sweeper sends its message again. */
  wake_at: v.exactOptional(Instant),
  /** When an upload that is unconfirmed, failed or deleted by its user is removed with everything that it holds. */
  ends_at: v.exactOptional(Instant),
});
export type Upload = v.InferOutput<typeof UploadSchema>;
