import { consume, type QueueHandler } from '../runtime/worker.ts';
import { deliver } from './deliver.ts';
import { CAPACITY } from './load.ts';
import { PublishMessageSchema, sendBack } from './messages.ts';
import type { DeliveryRun } from './run.ts';

/** Returns the handler of a publish queue: delivers the messages of a batch side by side, as many as fit into an environment. */
export function publishConsumer(run: Omit<DeliveryRun, 'remainingMs'>): QueueHandler {
  return consume(
    PublishMessageSchema,
    (message, context) => deliver({ ...run, remainingMs: () => context.getRemainingTimeInMillis() }, message),
    {
      capacity: CAPACITY,
      weightOf: ({ weight }) => weight,
      sendBack: message => sendBack(run.services, message),
    },
  );
}
