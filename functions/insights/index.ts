import type { Context } from 'aws-lambda';
import { ENV } from '../../shared/aws/env.ts';
import { readDueMetrics } from '../../shared/insights/read-metrics.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { LOAD_INSIGHTS } from '../../shared/platforms/registry/load-insights.ts';
import { log } from '../../shared/runtime/log.ts';
import { services } from '../../shared/runtime/services.ts';
import { SECOND } from '../../shared/time/instant.ts';

/** Time for the last call to a platform and for storing its result. */
const RESERVE_MS = 30 * SECOND;

const shared = services();

/** Runs every quarter of an hour: reads the metrics of posts that have reached a reading age. */
export async function handler(_event: unknown, context: Context): Promise<void> {
  const http = createHttpClient();
  const hasTime = () => context.getRemainingTimeInMillis() > RESERVE_MS;
  try {
    const count = await readDueMetrics({ services: shared, readers: enabledReaders(), http, hasTime });
    if (count > 0) log.info('Metrics were read', { count });
  } finally {
    http.close();
  }
}

/** The readers of the platforms that the operator has enabled: some platforms bill each read. */
function enabledReaders(): typeof LOAD_INSIGHTS {
  const names = shared.setting(ENV.measured).split(',');
  return Object.fromEntries(Object.entries(LOAD_INSIGHTS).filter(([platform]) => names.includes(platform)));
}
