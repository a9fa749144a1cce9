import * as v from 'valibot';
import { ENV } from '../aws/env.ts';
import { invokeAsync } from '../aws/lambda.ts';
import type { Services } from '../runtime/services.ts';
import { copyOfKey } from '../store/copies.ts';
import type { Key } from '../store/table.ts';
import { uploadOfKey } from '../store/uploads.ts';

/** A file to move into the bucket, or to remove from it: the event of an asynchronous invocation. */
export const MediaWorkSchema = v.variant('kind', [
  v.object({ kind: v.literal('upload'), workspace_id: v.string(), upload_id: v.string() }),
  v.object({ kind: v.literal('copy'), workspace_id: v.string(), post_id: v.string(), url_hash: v.string() }),
]);
export type MediaWork = v.InferOutput<typeof MediaWorkSchema>;

/** Has the importer do the work. If it is lost, the sweeper starts it again. */
export async function startMediaWork(
  { lambda, setting }: Pick<Services, 'lambda' | 'setting'>,
  work: MediaWork,
): Promise<void> {
  await invokeAsync(lambda, setting(ENV.mediaImporter), work);
}

/** Returns the work for a key of the wake index; null for a key of another aggregate. */
export function mediaWorkOfKey(key: Key): MediaWork | null {
  const upload = uploadOfKey(key);
  if (upload) return { kind: 'upload', ...upload };
  const copy = copyOfKey(key);
  return copy && { kind: 'copy', ...copy };
}
