import * as v from 'valibot';
import { ENV, publishQueueVariable } from '../aws/env.ts';
import { MAX_DELAY_S, sendMessage } from '../aws/queue.ts';
import { PlatformIdSchema, type PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import type { Services } from '../runtime/services.ts';
import { SECOND } from '../time/instant.ts';

/** "Look at this destination now." Carries ids only: the worker reads what is to be done from the post itself. */
export const PublishMessageSchema = v.object({
  workspace_id: v.string(),
  post_id: v.string(),
  platform: PlatformIdSchema,
  version: v.number(),
});
export type PublishMessage = v.InferOutput<typeof PublishMessageSchema>;

/** "Look at this post now." */
export const DispatchMessageSchema = v.object({ workspace_id: v.string(), post_id: v.string() });
export type DispatchMessage = v.InferOutput<typeof DispatchMessageSchema>;

/** Longest wait that one queue message can carry. Milliseconds. */
export const MAX_QUEUE_DELAY_MS = MAX_DELAY_S * SECOND;

/** Asks the platform's publisher to look at a destination at `at` (epoch ms), at the earliest a second before. */
export async function sendPublishMessage(
  services: Services,
  post: Post,
  platform: PlatformId,
  at: number,
): Promise<void> {
  const { workspace_id, post_id, version } = post;
  await sendMessage(services.sqs, {
    queueUrl: services.setting(publishQueueVariable(platform)),
    body: { workspace_id, post_id, platform, version },
    delayS: (at - services.now()) / SECOND,
    group: workspace_id,
  });
}

/** Asks the dispatcher to look at a post at `at` (epoch ms). */
export async function sendDispatchMessage(
  services: Services,
  message: DispatchMessage,
  at: number,
): Promise<void> {
  await sendMessage(services.sqs, {
    ...dispatchMessage(services, message),
    delayS: (at - services.now()) / SECOND,
  });
}

/** The note as it lies on the dispatch queue, whoever puts it there. */
export function dispatchMessage(
  services: Pick<Services, 'setting'>,
  { workspace_id, post_id }: DispatchMessage,
) {
  return {
    queueUrl: services.setting(ENV.dispatchQueueUrl),
    body: { workspace_id, post_id },
    group: workspace_id,
  };
}
