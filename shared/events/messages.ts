import * as v from 'valibot';
import { ServiceEventSchema } from '../model/event.ts';
import type { DeliveryRef } from '../store/webhook-deliveries.ts';

/** A message of the events queue: events to fan out, or one delivery that is due. */
export const EventMessageSchema = v.variant('kind', [
  v.object({
    kind: v.literal('events'),
    workspace_id: v.string(),
    events: v.array(ServiceEventSchema),
    /** The request that created the post of the events, for logs. */
    request_id: v.exactOptional(v.string()),
  }),
  v.object({ kind: v.literal('delivery'), webhook_id: v.string(), delivery_id: v.string() }),
]);
export type EventMessage = v.InferOutput<typeof EventMessageSchema>;

/** A message and its fair-queue group. Deliveries are grouped by webhook: a slow receiver delays only its own. */
export interface GroupedMessage {
  body: EventMessage;
  group: string;
}

export function deliveryMessage({ webhook_id, delivery_id }: DeliveryRef): GroupedMessage {
  return { body: { kind: 'delivery', webhook_id, delivery_id }, group: webhook_id };
}
