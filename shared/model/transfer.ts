import * as v from 'valibot';
import { MediaFormatSchema } from './media.ts';

/**
 * A file on its way from its origin into the bucket: what a worker needs to go on where another one stopped. How far it
 * got lies with the parts that S3 has.
 */
export const TransferSchema = v.object({
  source_url: v.string(),
  /** Where it goes and what it is: null until its first bytes were seen. */
  key: v.nullable(v.string()),
  format: v.nullable(MediaFormatSchema),
  /** Bytes, as the origin says; null where it does not. */
  total: v.nullable(v.number()),
  /** The origin's name for this very version of the file, so that no two versions are put together. */
  etag: v.nullable(v.string()),
  /** S3's id of the multipart upload; null for a file that goes in one piece. */
  s3_upload_id: v.nullable(v.string()),
  /** Attempts in a row that got nothing further. */
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
