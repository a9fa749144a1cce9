import * as v from 'valibot';
import { ENV, publishQueueVariable } from '../aws/env.ts';
import { MAX_DELAY_S, sendMessage } from '../aws/queue.ts';
import type { Destination } from '../model/destination.ts';
import { PlatformIdSchema } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import type { Services } from '../runtime/services.ts';
import { SECOND } from '../time/instant.ts';
import { CAPACITY, weightOf } from './load.ts';

/** The request that created the post, for logs; the sweeper does not know it. */
const REQUEST_ID = v.exactOptional(v.string());

/** Makes a publisher act on a destination. Carries ids only: the worker reads from the post what to do. */
export const PublishMessageSchema = v.object({
  workspace_id: v.string(),
  post_id: v.string(),
  platform: PlatformIdSchema,
  version: v.number(),
  /** Revision of the destination when the message was sent. */
  revision: v.exactOptional(v.number()),
  /** How many messages the publishers have sent to their own queue in a row before this one. */
  hops: v.optional(v.pipe(v.number(), v.integer()), 0),
  request_id: REQUEST_ID,
  /** Share of a publisher's capacity that the delivery takes. */
  weight: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), CAPACITY),
  /** Set where the publisher only gets ready for a destination, which another message makes it act on. */
  warm_up: v.exactOptional(v.literal(true)),
});
export type PublishMessage = v.InferOutput<typeof PublishMessageSchema>;

/** Makes the dispatcher check a post. */
export const DispatchMessageSchema = v.object({
  workspace_id: v.string(),
  post_id: v.string(),
  request_id: REQUEST_ID,
});
export type DispatchMessage = v.InferOutput<typeof DispatchMessageSchema>;

/** Maximum delay of one queue message in milliseconds. */
export const MAX_QUEUE_DELAY_MS = MAX_DELAY_S * SECOND;

/**
 * Sends a publish message that arrives at `at` (epoch ms). Queue delays are whole seconds: a wait for the post's own
 * time is rounded down, since the worker waits for the rest, and any other wait is rounded up.
 */
export async function sendPublishMessage(
  services: Services,
  post: Post,
  destination: Destination,
  at: number,
  hops = 0,
): Promise<void> {
  const { workspace_id, post_id, version, due_at, request_id } = post;
  const { platform } = destination;
  const seconds = (at - services.now()) / SECOND;
  await putOnQueue(
    services,
    {
      workspace_id,
      post_id,
      platform,
      version,
      revision: destination.revision,
      hops,
      weight: weightOf(post, destination),
      ...(request_id !== undefined && { request_id }),
    },
    at <= due_at ? Math.floor(seconds) : Math.ceil(seconds),
  );
}

/** Sends a message at which a publisher gets ready for a destination. It arrives at `at` (epoch ms), rounded down to seconds. */
export async function sendWarmUp(
  services: Services,
  { workspace_id, post_id, version }: Post,
  { platform }: Destination,
  at: number,
): Promise<void> {
  const message = { workspace_id, post_id, platform, version, hops: 0, weight: 1, warm_up: true } as const;
  await putOnQueue(services, message, Math.floor((at - services.now()) / SECOND));
}

/** Puts a message on its queue again, for another environment of the publisher to receive at once. */
export const sendBack = (services: Services, message: PublishMessage): Promise<void> =>
  putOnQueue(services, message, 0);

const putOnQueue = (services: Services, message: PublishMessage, delayS: number): Promise<void> =>
  sendMessage(services.sqs, {
    queueUrl: services.setting(publishQueueVariable(message.platform)),
    body: { ...message },
    delayS,
    group: message.workspace_id,
  });

/** Sends a dispatch message that arrives at `at` (epoch ms). */
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

/** Returns the dispatch message as it is put on the queue, by a function or by a schedule. */
export function dispatchMessage(
  services: Pick<Services, 'setting'>,
  { workspace_id, post_id, request_id }: DispatchMessage,
) {
  return {
    queueUrl: services.setting(ENV.dispatchQueueUrl),
    body: { workspace_id, post_id, ...(request_id !== undefined && { request_id }) },
    group: workspace_id,
  };
}
