import * as v from 'valibot';
import { ENV } from '../../shared/aws/env.ts';
import { deleteMessage, receiveMessages, type ReceivedMessage } from '../../shared/aws/queue.ts';
import { BroadcastMessageSchema } from '../../shared/broadcasts/messages.ts';
import { handleDeadLetter } from '../../shared/delivery/dead-letters.ts';
import { DispatchMessageSchema, PublishMessageSchema } from '../../shared/delivery/messages.ts';
import { parseJson } from '../../shared/model/json.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import type { Services } from '../../shared/runtime/services.ts';

/** Receives of one sweep, each of up to ten dead letters. */
const MAX_RECEIVES = 10;

/**
 * What Lambda sends to the failure destination of an asynchronous invocation.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
const FailedInvocationSchema = v.object({
  requestContext: v.object({ functionArn: v.string(), condition: v.string() }),
  requestPayload: v.unknown(),
});

/** Dead letters whose item is in the wake index: the sweeper itself starts their work again. */
const RecoveredSchema = v.union([
  v.strictObject(DispatchMessageSchema.entries),
  BroadcastMessageSchema,
  v.object({ kind: v.literal('delivery'), webhook_id: v.string(), delivery_id: v.string() }),
  FailedInvocationSchema,
]);

/**
 * Reads the dead letters of all queues and functions, and returns their number. One that is not understood, or that cannot be
 * handled, stays in the queue and is received again; operators return it to its queue once the cause is mended.
 */
export async function readDeadLetters(services: Services): Promise<number> {
  const queueUrl = services.setting(ENV.deadLetterQueueUrl);
  let count = 0;
  for (let receive = 0; receive < MAX_RECEIVES; receive += 1) {
    // Without waiting: a minute passes until the next sweep, and Lambda bills the wait.
    const messages = await receiveMessages(services.sqs, queueUrl, 0);
    if (messages.length === 0) break;
    count += messages.length;
    await Promise.all(messages.map(message => readDeadLetter(services, queueUrl, message)));
  }
  return count;
}

async function readDeadLetter(services: Services, queueUrl: string, message: ReceivedMessage): Promise<void> {
  try {
    if (await handle(services, message)) await deleteMessage(services.sqs, queueUrl, message);
  } catch (error) {
    log.error('Could not handle a dead letter; it stays in the queue', {
      message_id: message.messageId,
      ...describeError(error),
    });
  }
}

/** Returns whether the dead letter can be deleted. */
async function handle(services: Services, { messageId, body }: ReceivedMessage): Promise<boolean> {
  const letter = parseJson(body);
  const published = v.safeParse(PublishMessageSchema, letter);
  if (published.success) {
    log.error('A publish message became a dead letter', { message_id: messageId, ...published.output });
    await handleDeadLetter(services, published.output);
    return true;
  }
  const isRecovered = v.is(RecoveredSchema, letter);
  const next = isRecovered ? 'its work starts again' : 'it stays in the queue';
  log.error(`A message became a dead letter; ${next}`, { message_id: messageId, dead_letter: letter });
  return isRecovered;
}
