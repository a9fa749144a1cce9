import { HousekeepingWorkSchema } from '../../shared/housekeeping/work.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { services } from '../../shared/runtime/services.ts';
import { workOn, type WorkHandler } from '../../shared/runtime/worker.ts';
import { doHousekeeping } from './work.ts';

/** Work that no request waits for and no post depends on. */
export const handler: WorkHandler = async (event, context) => {
  // One client per invocation: connections do not survive the freeze between two invocations.
  const http = createHttpClient();
  const run = { services: services(), http, remainingMs: () => context.getRemainingTimeInMillis() };
  try {
    await workOn(event, HousekeepingWorkSchema, work => doHousekeeping(run, work));
  } finally {
    http.close();
  }
};
