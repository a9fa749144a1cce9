import type { Delivery } from '../../shared/model/webhook.ts';
import { writeMetrics } from '../../shared/runtime/metrics.ts';
import type { Outcome } from './send-attempt.ts';

/** Writes how an attempt of a delivery ended, for the dashboard and for queries. */
export function reportDelivery(delivery: Delivery, { error, status_code }: Outcome): void {
  const { webhook_id, delivery_id, event } = delivery;
  const details = { webhook_id, delivery_id, event };
  if (error === null) writeMetrics('webhooks', { delivered: 1 }, details);
  else writeMetrics('webhooks', { undelivered: 1 }, { ...details, status_code: `${status_code ?? 'none'}` });
}
