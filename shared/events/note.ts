import * as v from 'valibot';
import { ServiceEventSchema } from '../model/event.ts';
import { deliveryOfKey, type DeliveryRef } from '../store/webhooks.ts';
import type { Key } from '../store/table.ts';

/** What lies on the events queue: an event to fan out, or one delivery that is due. */
export const EventsNoteSchema = v.variant('kind', [
  v.object({ kind: v.literal('event'), workspace_id: v.string(), event: ServiceEventSchema }),
  v.object({ kind: v.literal('delivery'), webhook_id: v.string(), delivery_id: v.string() }),
]);
export type EventsNote = v.InferOutput<typeof EventsNoteSchema>;

/** A note and its fair-queue group. Deliveries are grouped by webhook: a slow receiver delays only its own. */
export interface GroupedNote {
  body: EventsNote;
  group: string;
}

export function deliveryNote({ webhook_id, delivery_id }: DeliveryRef): GroupedNote {
  return { body: { kind: 'delivery', webhook_id, delivery_id }, group: webhook_id };
}

/** The to-do note for a due key of the wake index; null when the key is not a delivery's. */
export function noteOfDueKey(key: Key): GroupedNote | null {
  const ref = deliveryOfKey(key);
  return ref && deliveryNote(ref);
}
