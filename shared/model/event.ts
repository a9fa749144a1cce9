import * as v from 'valibot';
import { BROADCAST_EVENT_KINDS } from './broadcast.ts';
import { JsonObjectSchema } from './json.ts';

/** Events about one destination of a post. */
const DESTINATION_EVENT_KINDS = [
  'post.published',
  'post.failed',
  'post.retry',
  'post.token_expired',
] as const;
export const DestinationEventKindSchema = v.picklist(DESTINATION_EVENT_KINDS);
export type DestinationEventKind = v.InferOutput<typeof DestinationEventKindSchema>;

/** Events of a webhook that names none. */
export const DEFAULT_EVENT_KINDS = DESTINATION_EVENT_KINDS;

/** Every event that a webhook can subscribe to. */
export const EVENT_KINDS = [
  ...DESTINATION_EVENT_KINDS,
  'post.completed',
  'account.disconnected',
  ...BROADCAST_EVENT_KINDS,
] as const;
export const EventKindSchema = v.picklist(EVENT_KINDS);
export type EventKind = v.InferOutput<typeof EventKindSchema>;

/** An event as receivers get it. The id is derived from what happened, so receivers recognize a repetition. */
export const ServiceEventSchema = v.object({
  event: v.picklist([...EVENT_KINDS, 'webhook.test']),
  id: v.string(),
  timestamp: v.string(),
  data: JsonObjectSchema,
});
export type ServiceEvent = v.InferOutput<typeof ServiceEventSchema>;
