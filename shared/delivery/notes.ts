import * as v from 'valibot';
import { ENV, publishQueueVariable } from '../aws/env.ts';
import { MAX_DELAY_S, sendNote } from '../aws/queue.ts';
import { PlatformIdSchema, type PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import type { Services } from '../runtime/services.ts';
import { SECOND } from '../time/instant.ts';

/** "Look at this destination now." Carries ids only: the worker reads what is to be done from the post itself. */
export const PublishNoteSchema = v.object({
  workspace_id: v.string(),
  post_id: v.string(),
  platform: PlatformIdSchema,
  version: v.number(),
});
export type PublishNote = v.InferOutput<typeof PublishNoteSchema>;

/** "Look at this post now." */
export const DispatchNoteSchema = v.object({ workspace_id: v.string(), post_id: v.string() });
export type DispatchNote = v.InferOutput<typeof DispatchNoteSchema>;

/** Longest wait that one queue message can carry. Milliseconds. */
export const MAX_QUEUE_DELAY_MS = MAX_DELAY_S * SECOND;

/** Asks the platform's publisher to look at a destination at `at` (epoch ms), at the earliest a second before. */
export async function sendPublishNote(
  services: Services,
  post: Post,
  platform: PlatformId,
  at: number,
): Promise<void> {
  const { workspace_id, post_id, version } = post;
  await sendNote(services.sqs, {
    queueUrl: services.setting(publishQueueVariable(platform)),
    body: { workspace_id, post_id, platform, version },
    delayS: (at - services.now()) / SECOND,
    group: workspace_id,
  });
}

/** Asks the dispatcher to look at a post at `at` (epoch ms). */
export async function sendDispatchNote(services: Services, note: DispatchNote, at: number): Promise<void> {
  await sendNote(services.sqs, {
    ...dispatchNote(services, note),
    delayS: (at - services.now()) / SECOND,
  });
}

/** The note as it lies on the dispatch queue, whoever puts it there. */
export function dispatchNote(services: Pick<Services, 'setting'>, { workspace_id, post_id }: DispatchNote) {
  return {
    queueUrl: services.setting(ENV.dispatchQueueUrl),
    body: { workspace_id, post_id },
    group: workspace_id,
  };
}
