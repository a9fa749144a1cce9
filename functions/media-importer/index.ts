import { MediaMessageSchema } from '../../shared/media/messages.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { services } from '../../shared/runtime/services.ts';
import { consume, type QueueHandler } from '../../shared/runtime/worker.ts';
import { handleMediaMessage } from './work.ts';

/** Eight consecutive attempts without progress span more than half an hour. */
const MAX_FAILURES = 8;

/** Moves files of any size into the bucket, and removes them. */
export const handler: QueueHandler = async (event, context) => {
  // One client per batch: connections do not survive the freeze between two invocations.
  const http = createHttpClient();
  const run = {
    services: services(),
    http,
    remainingMs: () => context.getRemainingTimeInMillis(),
    maxInlineBytes: Number.POSITIVE_INFINITY,
    maxFailures: MAX_FAILURES,
  };
  try {
    return await consume(MediaMessageSchema, message => handleMediaMessage(run, message))(event, context);
  } finally {
    http.close();
  }
};
