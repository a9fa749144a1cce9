import { reopenPublishQueues } from '../../shared/connections/publish-mapping.ts';
import { reportAttempt } from '../../shared/delivery/report.ts';
import { countOfSweep } from '../../shared/runtime/metrics.ts';
import { services } from '../../shared/runtime/services.ts';
import { settleAll } from '../../shared/runtime/settle-all.ts';
import { readDeadLetters } from './dead-letters.ts';
import { wakeItems } from './wake-items.ts';

const shared = services();

/** Runs every minute: moves whatever should have moved. A part that fails does not keep the others from their work. */
export async function handler(): Promise<void> {
  await settleAll([
    wakeItems(shared).then(count => countOfSweep('overdue', count)),
    readDeadLetters(shared, reportAttempt).then(count => countOfSweep('dead_letters', count)),
    reopenPublishQueues(shared),
  ]);
}
