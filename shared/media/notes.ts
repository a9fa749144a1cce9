import * as v from 'valibot';
import { ENV } from '../aws/env.ts';
import { sendNote } from '../aws/queue.ts';
import type { Services } from '../runtime/services.ts';
import { copyOfKey } from '../store/copies.ts';
import type { Key } from '../store/table.ts';
import { uploadOfKey } from '../store/uploads.ts';
import { SECOND } from '../time/instant.ts';

/** What lies on the media queue: files to be moved into the bucket, or out of it. */
export const MediaNoteSchema = v.variant('kind', [
  v.object({ kind: v.literal('upload'), workspace_id: v.string(), upload_id: v.string() }),
  v.object({ kind: v.literal('copy'), workspace_id: v.string(), post_id: v.string(), place: v.string() }),
]);
export type MediaNote = v.InferOutput<typeof MediaNoteSchema>;

/** Asks for work on a file, after `waitMs`. */
export async function sendMediaNote(
  services: Pick<Services, 'sqs' | 'setting'>,
  note: MediaNote,
  waitMs = 0,
): Promise<void> {
  await sendNote(services.sqs, {
    queueUrl: services.setting(ENV.mediaQueueUrl),
    body: note,
    delayS: waitMs / SECOND,
    group: note.workspace_id,
  });
}

/** The note for what a key of the wake index names; null when others care for it. */
export function mediaNoteOfKey(key: Key): MediaNote | null {
  const upload = uploadOfKey(key);
  if (upload) return { kind: 'upload', ...upload };
  const copy = copyOfKey(key);
  return copy && { kind: 'copy', ...copy };
}
