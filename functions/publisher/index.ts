import * as v from 'valibot';
import { ENV } from '../../shared/aws/env.ts';
import { publishConsumer } from '../../shared/delivery/consumer.ts';
import { reportAttempt } from '../../shared/delivery/report.ts';
import { PlatformIdSchema } from '../../shared/model/platform.ts';
import { LOAD_CONNECTOR } from '../../shared/platforms/registry/load-connector.ts';
import { LOAD_RULES } from '../../shared/platforms/registry/load-rules.ts';
import { LOAD_PUBLISHER } from '../../shared/platforms/registry/load-publisher.ts';
import { services } from '../../shared/runtime/services.ts';
import type { QueueHandler } from '../../shared/runtime/worker.ts';

const shared = services();

/** Made while the environment starts, when a function has a whole core. */
const consumer = loadConsumer();

async function loadConsumer(): Promise<QueueHandler> {
  const platform = v.parse(PlatformIdSchema, shared.setting(ENV.platform));
  const [publisher] = await Promise.all([
    LOAD_PUBLISHER[platform]?.(),
    LOAD_RULES[platform](),
    LOAD_CONNECTOR[platform]?.(),
  ]);
  const publishers = publisher ? { [platform]: publisher } : {};
  return publishConsumer({ services: shared, publishers, report: reportAttempt });
}

/** Publishes to one platform: consumes its publish queue. All publishers share this bundle. */
export const handler: QueueHandler = async (event, context) => (await consumer)(event, context);
