import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { TransferSchema } from './transfer.ts';

/** The service's own copy of a file of a waiting post: its link may stop working before the post is due. */
export const MediaCopySchema = v.object({
  workspace_id: v.string(),
  post_id: v.string(),
  /** Identifies the file within its post. */
  url_hash: v.string(),
  url: v.string(),
  status: v.picklist(['waiting', 'ready', 'failed']),
  transfer: TransferSchema,
  error: v.nullable(v.string()),
  /** End of the current worker's lease. Epoch milliseconds, as all times here. */
  lease_until: v.number(),
  /** Increases with every change. */
  revision: v.number(),
  /** When the sweeper processes it next: it is removed when its post no longer needs it. */
  wake_at: v.number(),
});
export type MediaCopy = v.InferOutput<typeof MediaCopySchema>;

/** Returns 22 characters that identify a URL. */
export const hashUrl = (url: string) => createHash('sha256').update(url).digest('base64url').slice(0, 22);
