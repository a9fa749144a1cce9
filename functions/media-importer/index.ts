import { MediaMessageSchema } from '../../shared/media/messages.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { services } from '../../shared/runtime/services.ts';
import { consume, type QueueHandler } from '../../shared/runtime/worker.ts';
import { moveMedia } from './work.ts';

/** More than any origin keeps from us for no reason: eight attempts in a row, over half an hour. */
const PATIENCE = 8;

/** Moves files into the bucket, however large they are, and out of it. */
export const handler: QueueHandler = async (event, context) => {
  // One client a batch: connections do not survive the freeze between two invocations.
  const http = createHttpClient();
  const run = {
    services: services(),
    http,
    remainingMs: () => context.getRemainingTimeInMillis(),
    leaveAfterBytes: Number.POSITIVE_INFINITY,
    patience: PATIENCE,
  };
  try {
    return await consume(MediaMessageSchema, message => moveMedia(run, message))(event, context);
  } finally {
    http.close();
  }
};
