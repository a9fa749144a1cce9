import { EVENT_KINDS } from '../../shared/model/event.ts';
import type { Webhook } from '../../shared/model/webhook.ts';

/** Returns a stored webhook that is active and listens to every event. */
export const webhookWith = (
  given: Pick<Webhook, 'id' | 'workspace_id' | 'url'> & Partial<Webhook>,
): Webhook => ({
  created_by: null,
  events: [...EVENT_KINDS],
  description: null,
  active: true,
  disabled_reason: null,
  failing_since: null,
  paused_until: null,
  sealed_secret: '',
  previous_secret: null,
  created_at: 0,
  updated_at: 0,
  ...given,
});
