import { newKeyRing, seal } from '../../shared/aws/key-ring.ts';
import { newSecret } from '../../shared/events/signature.ts';
import type { ServiceEvent } from '../../shared/model/event.ts';
import { newId } from '../../shared/model/id.ts';
import type { Webhook } from '../../shared/model/webhook.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { createWebhook } from '../../shared/store/webhooks.ts';
import { fakeQueues, fakeSchedules, type SentMessage } from './queue-messages.ts';
import { createTestTable } from './table.ts';
import { webhookWith } from './webhook.ts';

export interface WebhookWorld {
  services: Services;
  workspace_id: string;
  secret: string;
  clock: { now: number };
  /** Returns and removes the sent messages, oldest first, then those of schedules, whose delay is longer than a queue's. */
  takeMessages: () => SentMessage[];
  /** While true, every call to Scheduler fails. */
  failSchedules: (fail: boolean) => void;
  addWebhook: (changes: Partial<Webhook> & { url: string }) => Promise<Webhook>;
  /** Creates a post.published event at the clock's time. */
  event: () => ServiceEvent;
  close: () => Promise<void>;
}

/** Creates what webhooks need except a receiver: a table, a settable clock, queues in memory, one signing secret. */
export async function webhookWorld(): Promise<WebhookWorld> {
  const table = await createTestTable();
  const { sqs, take } = fakeQueues();
  const { scheduler, ...schedules } = fakeSchedules(() => clock.now);
  const ring = newKeyRing();
  const secret = newSecret();
  const workspace_id = newId();
  const clock = { now: Date.now() };
  const services = {
    table,
    sqs,
    scheduler,
    // Not used by webhooks.
    ssm: {},
    keyRing: () => Promise.resolve(ring),
    setting: (name: string) => `setting:${name}`,
    now: () => clock.now,
  } as unknown as Services;

  async function addWebhook(changes: Partial<Webhook> & { url: string }): Promise<Webhook> {
    const id = newId(clock.now);
    const webhook = webhookWith({
      id,
      workspace_id,
      sealed_secret: seal(ring, id, secret),
      created_at: clock.now,
      updated_at: clock.now,
      ...changes,
    });
    if (!(await createWebhook(table, webhook))) throw new Error('Too many webhooks for one test');
    return webhook;
  }

  return {
    services,
    workspace_id,
    secret,
    clock,
    takeMessages: () => [...take(), ...schedules.take()],
    failSchedules: schedules.fail,
    addWebhook,
    event: () => ({
      event: 'post.published',
      id: newId(clock.now),
      timestamp: new Date(clock.now).toISOString(),
      data: { post_id: newId(), profile_name: 'Grüße 🚀', platform: 'x' },
    }),
    close: () => table.close(),
  };
}
