import { EventsNoteSchema } from '../../shared/events/note.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { services } from '../../shared/runtime/services.ts';
import { consume, type QueueHandler } from '../../shared/runtime/worker.ts';
import { work } from './work.ts';

/** Events on their way to the receivers. The notes of a batch run side by side, so a slow receiver delays no other. */
export const handler: QueueHandler = async (event, context) => {
  // One client a batch: connections do not survive the freeze between two invocations.
  const http = createHttpClient();
  const dispatcher = { services: services(), http, random: Math.random };
  try {
    return await consume(EventsNoteSchema, note => work(note, dispatcher))(event, context);
  } finally {
    http.close();
  }
};
