import { dispatch } from '../../shared/delivery/dispatch.ts';
import { DispatchMessageSchema } from '../../shared/delivery/messages.ts';
import { reportAttempt } from '../../shared/delivery/report.ts';
import { log } from '../../shared/runtime/log.ts';
import { countOfSweep } from '../../shared/runtime/metrics.ts';
import { services } from '../../shared/runtime/services.ts';
import { consume } from '../../shared/runtime/worker.ts';

const shared = services();

/** Sends a publish message with the exact remaining delay for each destination of a post that is due soon. */
export const handler = consume(DispatchMessageSchema, async message => {
  const overdue = await dispatch(shared, message, reportAttempt);
  if (overdue === 0) return;
  countOfSweep('overdue', overdue);
  log.info('Post overdue', { ...message, destinations: overdue });
});
