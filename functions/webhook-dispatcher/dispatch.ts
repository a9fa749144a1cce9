import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { enqueueDelivery } from '../../shared/events/enqueue.ts';
import { EventsNoteSchema, type EventsNote } from '../../shared/events/note.ts';
import { newDelivery, wants } from '../../shared/model/webhook.ts';
import { listWebhooks } from '../../shared/store/webhooks.ts';
import { attemptDelivery, type Dispatcher } from './attempt.ts';

/**
 * Works on all notes of a batch at once and gives back those that must come again. `onFault` hears why; a receiver's
 * failure is no fault but an outcome.
 */
export async function dispatch(
  event: Pick<SQSEvent, 'Records'>,
  dispatcher: Dispatcher,
  onFault: (messageId: string, error: unknown) => void,
): Promise<SQSBatchResponse> {
  const faults = await Promise.all(
    event.Records.map(async record => {
      try {
        await work(readNote(record), dispatcher);
        return [];
      } catch (error) {
        onFault(record.messageId, error);
        return [{ itemIdentifier: record.messageId }];
      }
    }),
  );
  return { batchItemFailures: faults.flat() };
}

function readNote({ body }: Pick<SQSRecord, 'body'>): EventsNote {
  const json: unknown = JSON.parse(body);
  return v.parse(EventsNoteSchema, json);
}

function work(note: EventsNote, dispatcher: Dispatcher): Promise<void> {
  return note.kind === 'event' ? fanOut(note, dispatcher) : attemptDelivery(note, dispatcher);
}

/** Makes one delivery for each webhook that wants the event. Safe to repeat: the ids are derived. */
async function fanOut(
  { workspace_id, event }: Extract<EventsNote, { kind: 'event' }>,
  { services }: Dispatcher,
): Promise<void> {
  const webhooks = await listWebhooks(services.table, workspace_id);
  const wanting = webhooks.filter(webhook => wants(webhook, event));
  await Promise.all(
    wanting.map(webhook => enqueueDelivery(services, newDelivery(event, webhook, services.now()))),
  );
}
