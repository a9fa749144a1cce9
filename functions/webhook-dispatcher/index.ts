import { setTimeout as sleep } from 'node:timers/promises';
import { ENV } from '../../shared/aws/env.ts';
import { receiveMessages, deleteMessage, type ReceivedMessage } from '../../shared/aws/queue.ts';
import { EventMessageSchema, type EventMessage } from '../../shared/events/messages.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import { countOfSweep } from '../../shared/runtime/metrics.ts';
import { services } from '../../shared/runtime/services.ts';
import { consume, failureOf, type QueueHandler } from '../../shared/runtime/worker.ts';
import { SECOND } from '../../shared/time/instant.ts';
import { lateEvents } from './late-events.ts';
import { processMoreWhile } from './process-more.ts';
import { reportDelivery } from './report-delivery.ts';
import { work } from './work.ts';

/** Longest time to process a message: a request's timeout, and the table before and after it. */
const MAX_MESSAGE_MS = 20 * SECOND;

const shared = services();

/** Delivers events to receivers. Messages are processed concurrently, so a slow receiver does not delay the others. */
export const handler: QueueHandler = async (event, context) => {
  // One client per invocation: connections do not survive the freeze in between.
  const http = createHttpClient();
  const process = (message: EventMessage) =>
    work(message, { services: shared, http, random: Math.random, report: reportDelivery });
  countOfSweep('overdue', lateEvents(event.Records, Date.now()));
  try {
    return await processMoreWhile(consume(EventMessageSchema, process)(event, context), {
      receive,
      work: message => processAndDelete(message, process),
      hasTime: () => context.getRemainingTimeInMillis() > MAX_MESSAGE_MS,
    });
  } finally {
    http.close();
  }
};

const queueUrl = () => shared.setting(ENV.eventsQueueUrl);

async function receive(): Promise<ReceivedMessage[]> {
  try {
    return await receiveMessages(shared.sqs, queueUrl());
  } catch (error) {
    log.warn('Could not receive more messages', describeError(error));
    await sleep(SECOND);
    return [];
  }
}

/** A message that fails or cannot be deleted is delivered again after its visibility timeout. */
async function processAndDelete(
  message: ReceivedMessage,
  process: (message: EventMessage) => Promise<void>,
): Promise<void> {
  if ((await failureOf(message, process, EventMessageSchema)) !== null) return;
  await deleteMessage(shared.sqs, queueUrl(), message).catch((error: unknown) =>
    log.warn('Could not delete a processed message', describeError(error)),
  );
}
