import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import * as v from 'valibot';
import { EVENT_KINDS, EventKindSchema, ServiceEventSchema, type ServiceEvent } from './event.ts';

/** Epoch milliseconds. */
const Instant = v.pipe(v.number(), v.integer());

/** Why the service disabled a webhook. */
export const DISABLED_REASONS = ['gone', 'failing'] as const;

/** A registered receiver. Its signing secrets are sealed and bound to the id. */
export const WebhookSchema = v.object({
  id: v.string(),
  workspace_id: v.string(),
  /** The user who created it; null where it is not known. */
  created_by: v.nullable(v.string()),
  url: v.string(),
  events: v.array(EventKindSchema),
  description: v.nullable(v.string()),
  active: v.boolean(),
  disabled_reason: v.nullable(v.picklist(DISABLED_REASONS)),
  /** Time of the first failed attempt since the last successful one; null while deliveries succeed. */
  failing_since: v.nullable(Instant),
  /** No attempts are made until then because the receiver keeps timing out. */
  paused_until: v.optional(v.nullable(Instant), null),
  sealed_secret: v.string(),
  /** The secret before a rotation signs, too, until it expires; `rotation` is the id of the request that replaced it. */
  previous_secret: v.nullable(
    v.object({ sealed: v.string(), expires_at: Instant, rotation: v.optional(v.string()) }),
  ),
  created_at: Instant,
  updated_at: Instant,
});
export type Webhook = v.InferOutput<typeof WebhookSchema>;

/** Most webhooks of one workspace on any plan. */
export const MAX_WEBHOOKS = 10;
/** How long the previous secret signs after a rotation, milliseconds. */
export const ROTATION_OVERLAP_MS = 24 * 60 * 60 * 1000;

const AttemptSchema = v.object({
  at: Instant,
  /** Null when there was no response. */
  status_code: v.nullable(v.number()),
  duration_ms: v.number(),
  error: v.nullable(v.string()),
});
export type Attempt = v.InferOutput<typeof AttemptSchema>;

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

/** The delivery of one event to one webhook. `body` holds the exact bytes that every attempt signs and sends. */
export const DeliverySchema = v.object({
  delivery_id: v.string(),
  webhook_id: v.string(),
  workspace_id: v.string(),
  event: ServiceEventSchema.entries.event,
  event_id: v.string(),
  body: v.string(),
  status: v.picklist(DELIVERY_STATUSES),
  attempts: v.array(AttemptSchema),
  /** Null when no attempt follows. */
  next_attempt_at: v.nullable(Instant),
  /** The delivery that a user asked to repeat. */
  redelivery_of: v.nullable(v.string()),
  created_at: Instant,
});
export type Delivery = v.InferOutput<typeof DeliverySchema>;

/**
 * Returns the id of the delivery of an event to a webhook: a UUID v7 derived from both, so that a repeated event finds its
 * delivery, and sortable by the time of the event.
 */
export function deliveryId(event: ServiceEvent, webhookId: string): string {
  const random = createHash('sha256').update(`${event.id} ${webhookId}`).digest();
  return v7({ msecs: Date.parse(event.timestamp), random });
}

/** Creates a delivery that is due now. */
export function newDelivery(event: ServiceEvent, webhook: Webhook, now: number): Delivery {
  return {
    delivery_id: deliveryId(event, webhook.id),
    webhook_id: webhook.id,
    workspace_id: webhook.workspace_id,
    event: event.event,
    event_id: event.id,
    body: JSON.stringify(event),
    status: 'pending',
    attempts: [],
    next_attempt_at: now,
    redelivery_of: null,
    created_at: now,
  };
}

/** True when an active webhook is subscribed to this event. A `webhook.test` event is never fanned out. */
export function isSubscribed(webhook: Webhook, event: ServiceEvent): boolean {
  return webhook.active && EVENT_KINDS.some(kind => kind === event.event && webhook.events.includes(kind));
}
