import * as v from 'valibot';
import { ENV } from '../../shared/aws/env.ts';
import { publishConsumer } from '../../shared/delivery/consumer.ts';
import { reportAttempt } from '../../shared/delivery/report.ts';
import type { DeliveryRun } from '../../shared/delivery/run.ts';
import { PlatformIdSchema } from '../../shared/model/platform.ts';
import { PUBLISHERS } from '../../shared/platforms/publishers.ts';
import { services } from '../../shared/runtime/services.ts';
import type { QueueHandler } from '../../shared/runtime/worker.ts';

const shared = services();

/** Loaded while the environment starts, when a function has a whole core. */
const publishers = loadPublisher();

async function loadPublisher(): Promise<DeliveryRun['publishers']> {
  const platform = v.parse(PlatformIdSchema, shared.setting(ENV.platform));
  const publisher = await PUBLISHERS[platform]?.();
  return publisher ? { [platform]: publisher } : {};
}

/** Publishes to one platform: consumes its publish queue. All publishers share this bundle. */
export const handler: QueueHandler = async (event, context) => {
  const consumer = publishConsumer({
    services: shared,
    publishers: await publishers,
    report: reportAttempt,
  });
  return consumer(event, context);
};
