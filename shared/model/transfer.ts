import * as v from 'valibot';
import { MediaFormatSchema } from './media.ts';

/**
 * A file on its way from its host into the bucket: what a worker needs to continue where another one stopped. The
 * progress itself is the list of parts that S3 has.
 */
export const TransferSchema = v.object({
  source_url: v.string(),
  /** Null until its first bytes were received. */
  key: v.nullable(v.string()),
  format: v.nullable(MediaFormatSchema),
  /** Bytes; null where the host does not say. */
  total: v.nullable(v.number()),
  /** The host's strong ETag, so that parts of two versions are never combined. */
  etag: v.nullable(v.string()),
  /** S3's id of the multipart upload; null for a file that is stored with one request. */
  s3_upload_id: v.nullable(v.string()),
  /** Consecutive attempts without progress. */
  failures: v.number(),
});
export type Transfer = v.InferOutput<typeof TransferSchema>;

export const newTransfer = (source_url: string): Transfer => ({
  source_url,
  key: null,
  format: null,
  total: null,
  etag: null,
  s3_upload_id: null,
  failures: 0,
});
