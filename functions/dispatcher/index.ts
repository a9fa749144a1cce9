import { dispatch } from '../../shared/delivery/dispatch.ts';
import { DispatchNoteSchema } from '../../shared/delivery/notes.ts';
import { log } from '../../shared/runtime/log.ts';
import { countOverdue } from '../../shared/runtime/metrics.ts';
import { services } from '../../shared/runtime/services.ts';
import { consume } from '../../shared/runtime/worker.ts';

const shared = services();

/** Turns "look at this post" into one exactly delayed note for each of its platforms. */
export const handler = consume(DispatchNoteSchema, async note => {
  const late = await dispatch(shared, note);
  if (late === 0) return;
  countOverdue(late);
  log.info('A post should have moved before', { ...note, destinations: late });
});
