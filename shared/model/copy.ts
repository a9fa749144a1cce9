import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { TransferSchema } from './transfer.ts';

/** The service's own copy of a file that a waiting post names, made so that its link may die before the post fires. */
export const MediaCopySchema = v.object({
  workspace_id: v.string(),
  post_id: v.string(),
  /** Which of the post's files: `placeOf` its URL. */
  file_key: v.string(),
  url: v.string(),
  status: v.picklist(['waiting', 'ready', 'failed']),
  transfer: TransferSchema,
  error: v.nullable(v.string()),
  /** One worker alone works on it until then. Epoch milliseconds, as all times here. */
  lease_until: v.number(),
  /** Grows with every change. */
  revision: v.number(),
  /** When somebody looks after it next: it is here until its post needs it no more. */
  wake_at: v.number(),
});
export type MediaCopy = v.InferOutput<typeof MediaCopySchema>;

/** A short name of a URL. */
export const fileKeyOf = (url: string) => createHash('sha256').update(url).digest('base64url').slice(0, 22);
