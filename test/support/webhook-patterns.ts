import { newId } from '../../shared/model/id.ts';
import type { ServiceEvent } from '../../shared/model/event.ts';
import { newDelivery, type Delivery, type Webhook } from '../../shared/model/webhook.ts';
import {
  createAttempted,
  createDelivery,
  getDelivery,
  listDeliveries,
  recordAttempt,
} from '../../shared/store/webhook-deliveries.ts';
import { createWebhook, listWebhooks, updateWebhook } from '../../shared/store/webhooks.ts';
import type { Table } from '../../shared/store/table.ts';
import { webhookWith } from './webhook.ts';

const webhookOf = (workspace_id = newId()): Webhook =>
  webhookWith({
    id: newId(),
    workspace_id,
    url: 'https://hooks.example/posts',
    sealed_secret: 'v1.00000000.'.padEnd(120, 'a'),
    created_at: 1,
    updated_at: 1,
  });

const eventOf = (): ServiceEvent => ({
  event: 'post.published',
  id: newId(),
  timestamp: '2026-03-02T10:00:00.000Z',
  data: {
    post_id: newId(),
    profile_name: 'Acme',
    platform: 'x',
    platform_post_id: '1863167894561230848',
    platform_post_url: 'https://x.com/demo/status/1863167894561230848',
    scheduled_at: '2026-03-02T10:00:00.000Z',
    published_at: '2026-03-02T10:00:02.000Z',
  },
});

async function storedWebhook(base: Table): Promise<Webhook> {
  const webhook = webhookOf();
  await createWebhook(base, webhook);
  return webhook;
}

async function storedDelivery(base: Table, webhook = webhookOf()): Promise<Delivery> {
  const delivery = newDelivery(eventOf(), webhook, 1);
  await createDelivery(base, delivery);
  return delivery;
}

const SUCCEEDED = { at: 1, status_code: 200, duration_ms: 5, error: null };
const DELIVERED = { status: 'delivered', next_attempt_at: null, wake_at: null } as const;

/** The access patterns of webhooks; `base` creates what exists beforehand, outside the measurement. */
export const WEBHOOK_PATTERNS: Record<string, (table: Table, base: Table) => Promise<unknown>> = {
  'register a webhook': table => createWebhook(table, webhookOf()),
  'read the webhooks': async (table, base) => listWebhooks(table, (await storedWebhook(base)).workspace_id),
  "record a webhook's health": async (table, base) => {
    const { workspace_id, id } = await storedWebhook(base);
    return updateWebhook(table, workspace_id, id, { failing_since: 1 });
  },
  'store a delivery': table => createDelivery(table, newDelivery(eventOf(), webhookOf(), 1)),
  'store a delivery that succeeded at once': table =>
    createAttempted(table, newDelivery(eventOf(), webhookOf(), 1), SUCCEEDED, DELIVERED),
  'read a delivery': async (table, base) => getDelivery(table, await storedDelivery(base)),
  'list 20 deliveries': async (table, base) => {
    const webhook = webhookOf();
    for (let n = 0; n < 20; n += 1) await storedDelivery(base, webhook);
    return listDeliveries(table, webhook.id, 20, null);
  },
  'record the success of a delivery': async (table, base) =>
    recordAttempt(table, await storedDelivery(base), SUCCEEDED, DELIVERED),
  'record a failure of a delivery': async (table, base) => {
    const attempt = { at: 1, status_code: 500, duration_ms: 5, error: 'Answered 500' };
    const next = { status: 'pending', next_attempt_at: 9, wake_at: 9 } as const;
    return recordAttempt(table, await storedDelivery(base), attempt, next);
  },
};
