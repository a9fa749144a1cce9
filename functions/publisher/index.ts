import { publishConsumer } from '../../shared/delivery/consumer.ts';
import { reportAttempt } from '../../shared/delivery/report.ts';
import { PUBLISHERS } from '../../shared/platforms/registry.ts';
import { services } from '../../shared/runtime/services.ts';

/** Publishes to one platform: consumes its publish queue. All publishers share this bundle. */
export const handler = publishConsumer({
  services: services(),
  publishers: PUBLISHERS,
  report: reportAttempt,
});
