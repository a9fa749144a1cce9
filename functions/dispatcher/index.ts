import { dispatch } from '../../shared/delivery/dispatch.ts';
import { DispatchMessageSchema } from '../../shared/delivery/messages.ts';
import { log } from '../../shared/runtime/log.ts';
import { countOverdue } from '../../shared/runtime/metrics.ts';
import { services } from '../../shared/runtime/services.ts';
import { consume } from '../../shared/runtime/worker.ts';

const shared = services();

/** Turns "look at this post" into one exactly delayed note for each of its platforms. */
export const handler = consume(DispatchMessageSchema, async message => {
  const late = await dispatch(shared, message);
  if (late === 0) return;
  countOverdue(late);
  log.info('A post should have moved before', { ...message, destinations: late });
});
