import { dispatch } from '../../shared/delivery/dispatch.ts';
import { DispatchNoteSchema } from '../../shared/delivery/notes.ts';
import { services } from '../../shared/runtime/services.ts';
import { consume } from '../../shared/runtime/worker.ts';

const shared = services();

/** Turns "look at this post" into one exactly delayed note for each of its platforms. */
export const handler = consume(DispatchNoteSchema, note => dispatch(shared, note));
