import type { Context } from 'aws-lambda';
import { ENV } from '../../shared/aws/env.ts';
import { gatherInsights } from '../../shared/insights/gather.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { INSIGHTS } from '../../shared/platforms/registry.ts';
import { log } from '../../shared/runtime/log.ts';
import { services } from '../../shared/runtime/services.ts';
import { SECOND } from '../../shared/time/instant.ts';

/** What a last call and what follows it may take. */
const RESERVE_MS = 30 * SECOND;

const shared = services();

/** Every quarter of an hour: how posts of certain ages were received. */
export async function handler(_event: unknown, context: Context): Promise<void> {
  const http = createHttpClient();
  const hasTime = () => context.getRemainingTimeInMillis() > RESERVE_MS;
  try {
    const count = await gatherInsights({ services: shared, readers: measured(), http, hasTime });
    if (count > 0) log.info('Posts were looked at', { count });
  } finally {
    http.close();
  }
}

/** The readers of the platforms that the operator wants measured: some bill each look. */
function measured(): typeof INSIGHTS {
  const names = shared.setting(ENV.measured).split(',');
  return Object.fromEntries(Object.entries(INSIGHTS).filter(([platform]) => names.includes(platform)));
}
