import { setTimeout as sleep } from 'node:timers/promises';
import { ENV } from '../../shared/aws/env.ts';
import { receiveMessages, deleteMessage, type ReceivedMessage } from '../../shared/aws/queue.ts';
import { EventMessageSchema, type EventMessage } from '../../shared/events/messages.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import { services } from '../../shared/runtime/services.ts';
import { consume, failureOf, type QueueHandler } from '../../shared/runtime/worker.ts';
import { SECOND } from '../../shared/time/instant.ts';
import { stayBusy } from './busy.ts';
import { work } from './work.ts';

/** What a note may take: the time-out of an exchange, and the table before and after it. */
const NEEDED_MS = 20 * SECOND;

const shared = services();

/** Events on their way to the receivers. All notes at hand run side by side, so a slow receiver delays no other. */
export const handler: QueueHandler = async (event, context) => {
  // One client an invocation: connections do not survive the freeze between two.
  const http = createHttpClient();
  const act = (message: EventMessage) => work(message, { services: shared, http, random: Math.random });
  try {
    return await stayBusy(consume(EventMessageSchema, act)(event, context), {
      receive,
      work: message => workOff(message, act),
      hasTime: () => context.getRemainingTimeInMillis() > NEEDED_MS,
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
    log.warn('No more notes could be taken from the queue', describeError(error));
    await sleep(SECOND);
    return [];
  }
}

/** A note that fails, or cannot be taken off, comes back when its time-out ends. */
async function workOff(
  message: ReceivedMessage,
  act: (message: EventMessage) => Promise<void>,
): Promise<void> {
  if ((await failureOf(message, act, EventMessageSchema)) !== null) return;
  await deleteMessage(shared.sqs, queueUrl(), message).catch((error: unknown) =>
    log.warn('A note that was worked off could not be removed', describeError(error)),
  );
}
