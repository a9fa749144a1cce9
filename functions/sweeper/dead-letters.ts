import * as v from 'valibot';
import { ENV } from '../../shared/aws/env.ts';
import {
  deleteMessage,
  receiveMessages,
  releaseMessage,
  type ReceivedMessage,
} from '../../shared/aws/queue.ts';
import { BroadcastMessageSchema } from '../../shared/broadcasts/messages.ts';
import { handleDeadLetter } from '../../shared/delivery/dead-letters.ts';
import { DispatchMessageSchema, PublishMessageSchema } from '../../shared/delivery/messages.ts';
import type { Report } from '../../shared/delivery/run.ts';
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
 * handled, stays in the queue, where every sweep counts it; operators return it to its queue once the cause is mended.
 */
export async function readDeadLetters(services: Services, report?: Report): Promise<number> {
  const queueUrl = services.setting(ENV.deadLetterQueueUrl);
  const kept: ReceivedMessage[] = [];
  let count = 0;
  for (let receive = 0; receive < MAX_RECEIVES; receive += 1) {
    // Without waiting: a minute passes until the next sweep, and Lambda bills the wait.
    const messages = await receiveMessages(services.sqs, queueUrl, 0);
    if (messages.length === 0) break;
    count += messages.length;
    const done = await Promise.all(messages.map(message => readDeadLetter(services, message, report)));
    kept.push(...messages.filter((_, index) => done[index] !== true));
  }
  // Visible only now, so that no letter is read twice, and at once: SQS moves no message that is in flight.
  await Promise.all(kept.map(message => releaseMessage(services.sqs, queueUrl, message)));
  if (kept.length > 0) log.error('Dead letters stay in the queue', { dead_letters: kept.length });
  return count;
}

/** Returns whether the dead letter was handled and deleted. */
async function readDeadLetter(
  services: Services,
  message: ReceivedMessage,
  report?: Report,
): Promise<boolean> {
  try {
    const isDone = await handle(services, message, report);
    if (isDone) await deleteMessage(services.sqs, services.setting(ENV.deadLetterQueueUrl), message);
    return isDone;
  } catch (error) {
    log.error('Could not handle a dead letter; it stays in the queue', {
      message_id: message.messageId,
      ...describeError(error),
    });
    return false;
  }
}

/** Returns whether the dead letter can be deleted. */
async function handle(
  services: Services,
  { messageId, body }: ReceivedMessage,
  report?: Report,
): Promise<boolean> {
  const letter = parseJson(body);
  const published = v.safeParse(PublishMessageSchema, letter);
  if (published.success) {
    log.error('A publish message became a dead letter', { message_id: messageId, ...published.output });
    await handleDeadLetter(services, published.output, report);
    return true;
  }
  if (!v.is(RecoveredSchema, letter)) return false;
  log.error('A message became a dead letter; its work starts again', {
    message_id: messageId,
    dead_letter: letter,
  });
  return true;
}
