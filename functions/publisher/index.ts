import { deliver } from '../../shared/delivery/deliver.ts';
import { CAPACITY } from '../../shared/delivery/load.ts';
import { PublishMessageSchema, sendBack } from '../../shared/delivery/messages.ts';
import { reportAttempt } from '../../shared/delivery/report.ts';
import { PUBLISHERS } from '../../shared/platforms/registry.ts';
import { services } from '../../shared/runtime/services.ts';
import { consume } from '../../shared/runtime/worker.ts';

const shared = services();

/** Publishes to one platform: consumes its publish queue. All publishers share this bundle. */
export const handler = consume(
  PublishMessageSchema,
  (message, context) =>
    deliver(
      {
        services: shared,
        publishers: PUBLISHERS,
        remainingMs: () => context.getRemainingTimeInMillis(),
        report: reportAttempt,
      },
      message,
    ),
  {
    capacity: CAPACITY,
    weightOf: ({ weight }) => weight,
    sendBack: message => sendBack(shared, message),
  },
);
