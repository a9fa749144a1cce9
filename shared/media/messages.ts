import * as v from 'valibot';
import { ENV } from '../aws/env.ts';
import { sendMessage } from '../aws/queue.ts';
import type { Services } from '../runtime/services.ts';
import { copyOfKey } from '../store/copies.ts';
import type { Key } from '../store/table.ts';
import { uploadOfKey } from '../store/uploads.ts';
import { SECOND } from '../time/instant.ts';

/** A message of the media queue: a file to move into the bucket, or to remove from it. */
export const MediaMessageSchema = v.variant('kind', [
  v.object({ kind: v.literal('upload'), workspace_id: v.string(), upload_id: v.string() }),
  v.object({ kind: v.literal('copy'), workspace_id: v.string(), post_id: v.string(), url_hash: v.string() }),
]);
export type MediaMessage = v.InferOutput<typeof MediaMessageSchema>;

/** Sends a message that is delivered after `delayMs`. */
export async function sendMediaMessage(
  services: Pick<Services, 'sqs' | 'setting'>,
  message: MediaMessage,
  delayMs = 0,
): Promise<void> {
  await sendMessage(services.sqs, {
    queueUrl: services.setting(ENV.mediaQueueUrl),
    body: message,
    delayS: delayMs / SECOND,
    group: message.workspace_id,
  });
}

/** Returns the message for a key of the wake index; null for a key of another aggregate. */
export function mediaMessageOfKey(key: Key): MediaMessage | null {
  const upload = uploadOfKey(key);
  if (upload) return { kind: 'upload', ...upload };
  const copy = copyOfKey(key);
  return copy && { kind: 'copy', ...copy };
}
