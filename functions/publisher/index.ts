import { deliver } from '../../shared/delivery/deliver.ts';
import { PublishNoteSchema } from '../../shared/delivery/notes.ts';
import { PUBLISHERS } from '../../shared/platforms/registry.ts';
import { services } from '../../shared/runtime/services.ts';
import { consume } from '../../shared/runtime/worker.ts';

const shared = services();

/** Publishes to one platform: consumes that platform's queue. The same bundle serves every platform. */
export const handler = consume(PublishNoteSchema, (note, context) =>
  deliver(
    { services: shared, publishers: PUBLISHERS, remainingMs: () => context.getRemainingTimeInMillis() },
    note,
  ),
);
