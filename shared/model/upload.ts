import * as v from 'valibot';
import { MediaFormatSchema } from './media.ts';
import { TransferSchema } from './transfer.ts';

/** Epoch milliseconds. */
const Instant = v.pipe(v.number(), v.integer());

export const UPLOAD_STATUSES = ['pending', 'processing', 'ready', 'failed'] as const;

/**
 * A file of a profile in the bucket, or on its way there. `pending`: an address was given out, nothing is confirmed.
 * `processing`: a worker has it, or will. Only a `ready` one is served under `key`, and it never changes again.
 */
export const UploadSchema = v.object({
  upload_id: v.string(),
  workspace_id: v.string(),
  profile_id: v.string(),
  status: v.picklist(UPLOAD_STATUSES),
  /** As the user calls it: data, never part of a path. */
  file_name: v.string(),
  /** Told from the bytes; before that what was promised, or null. */
  format: v.nullable(MediaFormatSchema),
  /** Bytes; null while unknown. */
  size: v.nullable(v.number()),
  /** Where it is served; null until it is known what it is. */
  key: v.nullable(v.string()),
  error: v.nullable(v.string()),
  /** Of an import by URL. */
  transfer: v.nullable(TransferSchema),
  /** Of a direct upload: where its bytes are put before anybody has looked at them. */
  direct: v.nullable(
    v.object({
      pending_key: v.string(),
      /** Until when the address takes them. */
      url_expires_at: Instant,
      /** Of one that comes in parts. */
      multipart: v.nullable(
        v.object({ s3_upload_id: v.string(), part_size: v.number(), file_size: v.number() }),
      ),
      /** The version of the bytes that was confirmed: a later one under the same address is not. */
      etag: v.nullable(v.string()),
    }),
  ),
  /** One worker alone works on it until then. */
  lease_until: Instant,
  /** Grows with every change. */
  revision: v.number(),
  created_at: Instant,
  /** When the sweeper looks after it. */
  wake_at: v.exactOptional(Instant),
  /** Seconds: an unconfirmed one goes then. */
  expires_at: v.exactOptional(v.number()),
});
export type Upload = v.InferOutput<typeof UploadSchema>;
