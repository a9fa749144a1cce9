import { giveUp } from '../../shared/delivery/give-up.ts';
import { PublishNoteSchema } from '../../shared/delivery/notes.ts';
import { services } from '../../shared/runtime/services.ts';
import { consume } from '../../shared/runtime/worker.ts';

const shared = services();

/** Reads the publishers' dead letters, so that no destination is left without an outcome. */
export const handler = consume(PublishNoteSchema, note => giveUp(shared, note));
