import { handleDeadLetter } from '../../shared/delivery/dead-letters.ts';
import { PublishMessageSchema } from '../../shared/delivery/messages.ts';
import { services } from '../../shared/runtime/services.ts';
import { consume } from '../../shared/runtime/worker.ts';

const shared = services();

/** Consumes the dead letters of the publish queues, so that every destination gets an outcome. */
export const handler = consume(PublishMessageSchema, message => handleDeadLetter(shared, message));
