import { afterEach, beforeEach, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { deliveryMessage, EventMessageSchema } from '../../shared/events/messages.ts';
import { sendEvent } from '../../shared/events/publish.ts';
import type { Delivery, Webhook } from '../../shared/model/webhook.ts';
import { createHttpClient, type HttpClient } from '../../shared/net/http.ts';
import { WAKE_SHARDS } from '../../shared/store/table.ts';
import { dueInShard } from '../../shared/store/wake.ts';
import { deliveryOfKey, listDeliveries } from '../../shared/store/webhooks.ts';
import { Killed, mortal, type Death } from '../../test/support/crashing-services.ts';
import { startReceiver, type Receiver } from '../../test/support/receiver.ts';
import { webhookHouse, type WebhookHouse } from '../../test/support/webhooks.ts';
import { work } from './work.ts';

/*
 * The dispatcher is killed before and after every single call that it makes: to table, queue and receiver. The queue
 * gives its note again, or has lost it; either way the event arrives, always with the same id and bytes.
 */

let house: WebhookHouse;
let receiver: Receiver;
let http: HttpClient;

beforeEach(async () => {
  house = await webhookHouse();
  receiver = await startReceiver();
  http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
});
afterEach(async () => {
  http.close();
  await receiver.close();
  await house.close();
});

const MINUTE = 60_000;

async function sweep(): Promise<unknown[]> {
  const shards = Array.from({ length: WAKE_SHARDS }, (_, shard) =>
    dueInShard(house.services.table, shard, house.clock.now, 100),
  );
  const refs = (await Promise.all(shards)).flat().map(key => deliveryOfKey(key));
  return refs.filter(ref => ref !== null).map(ref => deliveryMessage(ref).body);
}

interface Process {
  services: WebhookHouse['services'];
  http: HttpClient;
}

/** A process that dies at a call to table or queue. */
function dying(death: Death | null): Process & { calls: () => number } {
  const { services, calls } = mortal(house.services, death);
  return { services, http, calls };
}

/** A process that dies at its first request to a receiver. */
function dyingAtReceiver(when: Death['when']): Process {
  const open: HttpClient['open'] = async request => {
    if (when === 'after') await http.open(request);
    throw new Killed();
  };
  return { services: house.services, http: { ...http, open } };
}

/** An event to one webhook whose receiver refuses it once. The first process dies; the queue repeats the note or not. */
async function deliverUnder(first: Process, repeats: boolean): Promise<Delivery[]> {
  const webhook: Webhook = await house.addWebhook({ url: receiver.url });
  receiver.received.length = 0;
  receiver.script(500, 200);
  let process: Process = first;
  await sendEvent(house.services, house.event(), webhook.workspace_id);
  // Only an event whose note the queue still has is not lost; its sender crosses it out when the queue has it.
  const takeNotes = () => house.takeNotes().map(({ body }) => body);
  for (let messages = takeNotes(), quiet = 0; quiet < 10; messages = [...takeNotes(), ...(await sweep())]) {
    quiet = messages.length === 0 ? quiet + 1 : 0;
    const again: unknown[] = [];
    for (const body of messages) {
      const message = v.parse(EventMessageSchema, body);
      try {
        await work(message, { ...process, random: () => 0 });
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        process = dying(null);
        if (repeats || message.kind === 'event') again.push(body);
      }
    }
    house.clock.now += MINUTE;
    for (const body of again) await work(v.parse(EventMessageSchema, body), { ...process, random: () => 0 });
  }
  return (await listDeliveries(house.services.table, webhook.id, 100, null)).deliveries;
}

/** It was delivered, as one delivery, and whatever the receiver saw was the same. */
function expectDelivered(deliveries: Delivery[], context: object): void {
  expect({ ...context, deliveries }).toMatchObject({ ...context, deliveries: [{ status: 'delivered' }] });
  expect(receiver.received.length).toBeGreaterThanOrEqual(2);
  const { body, event_id } = deliveries[0]!;
  for (const seen of receiver.received) {
    expect(seen.body).toBe(body);
    expect(seen.headers['webhook-id']).toBe(event_id);
  }
}

for (const repeats of [true, false]) {
  const queue = repeats ? 'gives its note again' : 'has lost its note';
  for (const when of ['before', 'after'] as const) {
    test(`killed ${when} each call to table and queue, where the queue ${queue}`, async () => {
      const whole = dying(null);
      expectDelivered(await deliverUnder(whole, repeats), { at: 0 });
      expect(whole.calls()).toBeGreaterThan(8);
      for (let at = 1; at <= whole.calls(); at += 1) {
        await house.close();
        house = await webhookHouse();
        expectDelivered(await deliverUnder(dying({ at, when }), repeats), { at, when });
      }
    });

    test(`killed ${when} the request to the receiver, where the queue ${queue}`, async () => {
      expectDelivered(await deliverUnder(dyingAtReceiver(when), repeats), { when });
    });
  }
}
