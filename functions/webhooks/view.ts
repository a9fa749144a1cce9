import * as v from 'valibot';
import { EventKindSchema } from '../../shared/model/event.ts';
import {
  DELIVERY_STATUSES,
  DISABLED_REASONS,
  DeliverySchema,
  type Delivery,
  type Webhook,
} from '../../shared/model/webhook.ts';
import { toIso, toIsoOrNull } from '../../shared/time/instant.ts';

/** A webhook in answers, without its secrets. */
export const WebhookView = v.pipe(
  v.object({
    id: v.string(),
    url: v.string(),
    events: v.array(EventKindSchema),
    description: v.nullable(v.string()),
    active: v.boolean(),
    disabled_reason: v.nullable(v.picklist(DISABLED_REASONS)),
    created_at: v.string(),
    updated_at: v.string(),
  }),
  v.title('Webhook'),
);

export function webhookView(webhook: Webhook): v.InferOutput<typeof WebhookView> {
  const { id, url, events, description, active, disabled_reason } = webhook;
  return {
    id,
    url,
    events,
    description,
    active,
    disabled_reason,
    created_at: toIso(webhook.created_at),
    updated_at: toIso(webhook.updated_at),
  };
}

export const DeliveryView = v.pipe(
  v.object({
    id: v.string(),
    webhook_id: v.string(),
    event: DeliverySchema.entries.event,
    event_id: v.string(),
    status: v.picklist(DELIVERY_STATUSES),
    attempts: v.array(
      v.object({
        at: v.string(),
        status_code: v.nullable(v.number()),
        duration_ms: v.number(),
        error: v.nullable(v.string()),
      }),
    ),
    next_attempt_at: v.nullable(v.string()),
    redelivery_of: v.nullable(v.string()),
    created_at: v.string(),
    /** The exact body that is sent. */
    body: v.string(),
  }),
  v.title('WebhookDelivery'),
);

export function deliveryView(delivery: Delivery): v.InferOutput<typeof DeliveryView> {
  const { delivery_id, webhook_id, event, event_id, status, redelivery_of, body } = delivery;
  return {
    id: delivery_id,
    webhook_id,
    event,
    event_id,
    status,
    attempts: delivery.attempts.map(attempt => ({ ...attempt, at: toIso(attempt.at) })),
    next_attempt_at: toIsoOrNull(delivery.next_attempt_at),
    redelivery_of,
    created_at: toIso(delivery.created_at),
    body,
  };
}
