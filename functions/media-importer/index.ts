import { MediaWorkSchema } from '../../shared/media/work.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { services } from '../../shared/runtime/services.ts';
import { workOn, type WorkHandler } from '../../shared/runtime/worker.ts';
import { doMediaWork } from './work.ts';

/** Eight consecutive attempts without progress span more than half an hour. */
const MAX_FAILURES = 8;

/** Moves files of any size into the bucket, and removes them. */
export const handler: WorkHandler = async (event, context) => {
  // One client per invocation: connections do not survive the freeze between two invocations.
  const http = createHttpClient();
  const run = {
    services: services(),
    http,
    remainingMs: () => context.getRemainingTimeInMillis(),
    maxInlineBytes: Number.POSITIVE_INFINITY,
    maxFailures: MAX_FAILURES,
  };
  try {
    await workOn(event, MediaWorkSchema, work => doMediaWork(run, work));
  } finally {
    http.close();
  }
};
