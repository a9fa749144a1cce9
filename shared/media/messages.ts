import * as v from 'valibot';
import { ENV } from '../aws/env.ts';
import { sendMessage } from '../aws/queue.ts';
import type { Services } from '../runtime/services.ts';
import { copyOfKey } from '../store/copies.ts';
import type { Key } from '../store/table.ts';
import { uploadOfKey } from '../store/uploads.ts';
import { SECOND } from '../time/instant.ts';

/** What lies on the media queue: files to be moved into the bucket, or out of it. */
export const MediaMessageSchema = v.variant('kind', [
  v.object({ kind: v.literal('upload'), workspace_id: v.string(), upload_id: v.string() }),
  v.object({ kind: v.literal('copy'), workspace_id: v.string(), post_id: v.string(), file_key: v.string() }),
]);
export type MediaMessage = v.InferOutput<typeof MediaMessageSchema>;

/** Asks for work on a file, after `waitMs`. */
export async function sendMediaMessage(
  services: Pick<Services, 'sqs' | 'setting'>,
  message: MediaMessage,
  waitMs = 0,
): Promise<void> {
  await sendMessage(services.sqs, {
    queueUrl: services.setting(ENV.mediaQueueUrl),
    body: message,
    delayS: waitMs / SECOND,
    group: message.workspace_id,
  });
}

/** The note for what a key of the wake index names; null when others care for it. */
export function mediaMessageOfKey(key: Key): MediaMessage | null {
  const upload = uploadOfKey(key);
  if (upload) return { kind: 'upload', ...upload };
  const copy = copyOfKey(key);
  return copy && { kind: 'copy', ...copy };
}
