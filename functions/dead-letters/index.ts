import { handleDeadLetter } from '../../shared/delivery/dead-letters.ts';
import { PublishMessageSchema } from '../../shared/delivery/messages.ts';
import { services } from '../../shared/runtime/services.ts';
import { consume } from '../../shared/runtime/worker.ts';

const shared = services();

/** Reads the publishers' dead letters, so that no destination is left without an outcome. */
export const handler = consume(PublishMessageSchema, message => handleDeadLetter(shared, message));
