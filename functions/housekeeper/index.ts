import { HousekeepingMessageSchema } from '../../shared/housekeeping/messages.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { services } from '../../shared/runtime/services.ts';
import { consume, type QueueHandler } from '../../shared/runtime/worker.ts';
import { handleHousekeepingMessage } from './work.ts';

/** Work that no request waits for and no post depends on. */
export const handler: QueueHandler = async (event, context) => {
  // One client per batch: connections do not survive the freeze between two invocations.
  const http = createHttpClient();
  const run = { services: services(), http, remainingMs: () => context.getRemainingTimeInMillis() };
  try {
    return await consume(HousekeepingMessageSchema, message => handleHousekeepingMessage(run, message))(
      event,
      context,
    );
  } finally {
    http.close();
  }
};
