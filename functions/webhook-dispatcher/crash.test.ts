import { afterEach, beforeEach, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { deliveryMessage, EventMessageSchema } from '../../shared/events/messages.ts';
import { sendEvents } from '../../shared/events/publish.ts';
import type { Delivery, Webhook } from '../../shared/model/webhook.ts';
import { createHttpClient, type HttpClient } from '../../shared/net/http.ts';
import { deliveryOfKey, listDeliveries } from '../../shared/store/webhook-deliveries.ts';
import { Killed, crashPoints, crashingServices, type Crash } from '../../test/support/crashing-services.ts';
import { startReceiver, type Receiver } from '../../test/support/receiver.ts';
import { webhookWorld, type WebhookWorld } from '../../test/support/webhooks.ts';
import { work } from './work.ts';
import { dueKeys } from '../../test/support/due-items.ts';

/*
 * The dispatcher crashes before the first and after every single call that it makes: to table, queue and receiver. The queue
 * redelivers the message or has lost it; either way the event arrives, always with the same id and bytes.
 */

let world: WebhookWorld;
let receiver: Receiver;
let http: HttpClient;

beforeEach(async () => {
  world = await webhookWorld();
  receiver = await startReceiver();
  http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
});
afterEach(async () => {
  http.close();
  await receiver.close();
  await world.close();
});

const MINUTE = 60_000;

async function sweep(): Promise<unknown[]> {
  const refs = (await dueKeys(world.services.table, world.clock.now)).map(key => deliveryOfKey(key));
  return refs.filter(ref => ref !== null).map(ref => deliveryMessage(ref).body);
}

interface Process {
  services: WebhookWorld['services'];
  http: HttpClient;
}

/** A process that crashes at a call to table or queue. */
function crashing(crash: Crash | null): Process & { calls: () => number } {
  const { services, calls } = crashingServices(world.services, crash);
  return { services, http, calls };
}

/** A process that crashes at its first request to a receiver. */
function crashingAtReceiver(when: Crash['when']): Process {
  const open: HttpClient['open'] = async request => {
    if (when === 'after') await http.open(request);
    throw new Killed();
  };
  return { services: world.services, http: { ...http, open } };
}

/** Delivers an event whose receiver fails once. The first process crashes; the queue redelivers the message or not. */
async function deliverWith(first: Process, redelivers: boolean): Promise<Delivery[]> {
  const webhook: Webhook = await world.addWebhook({ url: receiver.url });
  receiver.received.length = 0;
  receiver.script(500, 200);
  let process: Process = first;
  await sendEvents(world.services, [world.event()], webhook.workspace_id);
  // The message of an event is never lost: its sender keeps it in the outbox until the queue has accepted it.
  const takeMessages = () => world.takeMessages().map(({ body }) => body);
  for (
    let messages = takeMessages(), quiet = 0;
    quiet < 10;
    messages = [...takeMessages(), ...(await sweep())]
  ) {
    quiet = messages.length === 0 ? quiet + 1 : 0;
    const redelivered: unknown[] = [];
    for (const body of messages) {
      const message = v.parse(EventMessageSchema, body);
      try {
        await work(message, { ...process, random: () => 0 });
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        process = crashing(null);
        if (redelivers || message.kind === 'events') redelivered.push(body);
      }
    }
    world.clock.now += MINUTE;
    for (const body of redelivered)
      await work(v.parse(EventMessageSchema, body), { ...process, random: () => 0 });
  }
  return (await listDeliveries(world.services.table, webhook.id, 100, null)).deliveries;
}

/** Expects one delivery with the status delivered, and identical requests at the receiver. */
function expectDelivered(deliveries: Delivery[], context: object): void {
  expect({ ...context, deliveries }).toMatchObject({ ...context, deliveries: [{ status: 'delivered' }] });
  expect(receiver.received.length).toBeGreaterThanOrEqual(2);
  const { body, event_id } = deliveries[0]!;
  for (const request of receiver.received) {
    expect(request.body).toBe(body);
    expect(request.headers['webhook-id']).toBe(event_id);
  }
}

for (const redelivers of [true, false]) {
  const queue = redelivers ? 'redelivers the message' : 'has lost the message';
  test(`delivers after a crash at each call to table and queue when the queue ${queue}`, async () => {
    const intact = crashing(null);
    expectDelivered(await deliverWith(intact, redelivers), { at: 0 });
    expect(intact.calls()).toBeGreaterThan(8);
    for (const crash of crashPoints(intact.calls())) {
      await world.close();
      world = await webhookWorld();
      expectDelivered(await deliverWith(crashing(crash), redelivers), { crash });
    }
  });

  test.each(['before', 'after'] as const)(
    `delivers after a crash %s the request to the receiver when the queue ${queue}`,
    async when => {
      expectDelivered(await deliverWith(crashingAtReceiver(when), redelivers), { when });
    },
  );
}
