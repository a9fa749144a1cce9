import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook as Verifier } from 'standardwebhooks';
import * as v from 'valibot';
import { seal } from '../../shared/aws/key-ring.ts';
import { deliveryMessage, EventMessageSchema } from '../../shared/events/messages.ts';
import { sendEvents } from '../../shared/events/publish.ts';
import { newSecret } from '../../shared/events/signature.ts';
import { newId } from '../../shared/model/id.ts';
import { newDelivery, type Delivery, type Webhook } from '../../shared/model/webhook.ts';
import { createHttpClient, HttpFailure, type HttpClient } from '../../shared/net/http.ts';
import {
  createDelivery,
  getDelivery,
  deliveryOfKey,
  listDeliveries,
} from '../../shared/store/webhook-deliveries.ts';
import { deleteWebhook, getWebhook, updateWebhook } from '../../shared/store/webhooks.ts';
import { startReceiver, type Receiver } from '../../test/support/receiver.ts';
import type { SentMessage } from '../../test/support/queue-messages.ts';
import { testWith } from '../../test/support/tools.ts';
import { webhookWorld, type WebhookWorld } from '../../test/support/webhooks.ts';
import type { Dispatcher } from './attempt.ts';
import { work } from './work.ts';
import { dueKeys } from '../../test/support/due-items.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let world: WebhookWorld;
let receiver: Receiver;
let http: HttpClient;
let dispatcher: Dispatcher;

beforeEach(async () => {
  world = await webhookWorld();
  receiver = await startReceiver();
  http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
  dispatcher = { services: world.services, http, random: () => 0 };
});
afterEach(async () => {
  http.close();
  await receiver.close();
  await world.close();
});

const run = (message: Pick<SentMessage, 'body'>) =>
  work(v.parse(EventMessageSchema, message.body), dispatcher);

/** Processes messages and those they cause, except delayed ones, which are returned. */
async function drain(): Promise<SentMessage[]> {
  const delayed: SentMessage[] = [];
  for (let messages = world.takeMessages(); messages.length > 0; messages = world.takeMessages()) {
    delayed.push(...messages.filter(({ delayS }) => delayS > 0));
    await Promise.all(messages.filter(({ delayS }) => delayS === 0).map(run));
  }
  return delayed;
}

async function publish(event = world.event()) {
  await sendEvents(world.services, [event], world.workspace_id);
  return { event, delayed: await drain() };
}

async function deliveriesOf(webhook: Webhook): Promise<Delivery[]> {
  return (await listDeliveries(world.services.table, webhook.id, 100, null)).deliveries;
}

async function onlyDelivery(webhook: Webhook): Promise<Delivery> {
  const deliveries = await deliveriesOf(webhook);
  expect(deliveries).toHaveLength(1);
  return deliveries[0]!;
}

/** The messages that the sweeper would send now. */
async function sweep(): Promise<Pick<SentMessage, 'body'>[]> {
  return (await dueKeys(world.services.table, world.clock.now)).flatMap(key => {
    const due = deliveryOfKey(key);
    return due ? [deliveryMessage(due)] : [];
  });
}

const stateOf = (webhook: Webhook) => getWebhook(world.services.table, world.workspace_id, webhook.id);

describe('an event', () => {
  test('is delivered to every active subscribed webhook and no other', async () => {
    const subscribed = await world.addWebhook({
      url: receiver.url,
      events: ['post.published', 'post.failed'],
    });
    const others = [
      await world.addWebhook({ url: receiver.url, events: ['post.failed', 'post.completed'] }),
      await world.addWebhook({ url: receiver.url, active: false }),
      await world.addWebhook({ url: receiver.url, workspace_id: newId() }),
    ];
    const { event } = await publish();
    expect(receiver.received).toHaveLength(1);
    expect(await onlyDelivery(subscribed)).toMatchObject({
      status: 'delivered',
      event_id: event.id,
      attempts: [{ status_code: 200, error: null }],
    });
    for (const other of others) expect(await deliveriesOf(other)).toEqual([]);
  });

  test('is in the fair-queue group of its workspace, a retry in that of its webhook', async () => {
    const webhook = await world.addWebhook({ url: receiver.url });
    receiver.script(500);
    await sendEvents(world.services, [world.event()], world.workspace_id);
    const [first] = world.takeMessages();
    expect(first).toMatchObject({ group: world.workspace_id, queueUrl: 'setting:EVENTS_QUEUE_URL' });
    await run(first!);
    expect(world.takeMessages()).toMatchObject([{ group: webhook.id, body: { kind: 'delivery' } }]);
  });

  test('is delivered to the other webhooks when signing fails for one', async () => {
    const broken = await world.addWebhook({ url: receiver.url, sealed_secret: 'not sealed' });
    const intact = await world.addWebhook({ url: receiver.url });
    await sendEvents(world.services, [world.event()], world.workspace_id);
    const [message] = world.takeMessages();
    await expect(run(message!)).rejects.toThrow();
    expect(await onlyDelivery(intact)).toMatchObject({ status: 'delivered' });
    expect(await onlyDelivery(broken)).toMatchObject({ status: 'pending', attempts: [] });
  });

  test('that is published twice is delivered once', async () => {
    const webhook = await world.addWebhook({ url: receiver.url });
    const { event } = await publish();
    await publish(event);
    expect(receiver.received).toHaveLength(1);
    expect((await onlyDelivery(webhook)).attempts).toHaveLength(1);
  });

  test('whose message was lost before its first attempt is found by the sweeper', async () => {
    const webhook = await world.addWebhook({ url: receiver.url });
    await sendEvents(world.services, [world.event()], world.workspace_id);
    world.takeMessages(); // lost, once the delivery was stored
    await createDelivery(world.services.table, newDelivery(world.event(), webhook, world.clock.now));
    expect(await sweep()).toEqual([]);
    world.clock.now += 2 * MINUTE;
    const messages = await sweep();
    expect(messages).toHaveLength(1);
    await run(messages[0]!);
    expect((await onlyDelivery(webhook)).status).toBe('delivered');
    expect(await sweep()).toEqual([]);
  });
});

describe('a delivery', () => {
  testWith('openssl')('has a signature that openssl computes, too', async () => {
    await world.addWebhook({ url: receiver.url });
    await publish();
    const { headers, body } = receiver.received[0]!;
    const openssl = execFileSync('openssl', ['dgst', '-sha256', '-hmac', world.secret], { input: body });
    expect(openssl.toString()).toContain(headers['x-service-signature']);
  });

  test('is a POST of the exact JSON body with both kinds of signature and no secret', async () => {
    const webhook = await world.addWebhook({ url: receiver.url });
    const { event } = await publish();
    const { method, headers, body } = receiver.received[0]!;
    expect(method).toBe('POST');
    expect(body).toBe(JSON.stringify(event));
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'x-service-event': 'post.published',
      'x-service-signature': createHmac('sha256', world.secret).update(body).digest('hex'),
      'webhook-id': event.id,
      'user-agent': expect.stringMatching(/./),
    });
    expect(new Verifier(world.secret).verify(body, headers as Record<string, string>)).toEqual(event);

    const key = world.secret.slice('whsec_'.length);
    const everything = JSON.stringify([
      receiver.received,
      await deliveriesOf(webhook),
      await stateOf(webhook),
    ]);
    expect(everything).not.toContain(key);
  });

  test('is signed with both secrets during a rotation, afterwards with the new one only', async () => {
    const ring = await world.services.keyRing();
    const id = newId();
    const fresh = newSecret();
    await world.addWebhook({
      id,
      url: receiver.url,
      sealed_secret: seal(ring, id, fresh),
      previous_secret: { sealed: seal(ring, id, world.secret), expires_at: world.clock.now + MINUTE },
    });
    await publish();
    const during = receiver.received[0]!;
    const hex = createHmac('sha256', fresh).update(during.body).digest('hex');
    expect(during.headers['x-service-signature']).toBe(hex);
    const sent = during.headers as Record<string, string>;
    for (const secret of [fresh, world.secret]) new Verifier(secret).verify(during.body, sent);

    world.clock.now += 2 * MINUTE;
    await publish();
    expect(receiver.received[1]!.headers['webhook-signature']).not.toContain(' ');
  });

  test('that fails is retried with the same id and the same bytes', async () => {
    const webhook = await world.addWebhook({ url: receiver.url });
    receiver.script(500, 200);
    const { delayed } = await publish();
    expect(delayed).toMatchObject([{ delayS: 5, group: webhook.id }]);
    expect(await onlyDelivery(webhook)).toMatchObject({
      status: 'pending',
      next_attempt_at: world.clock.now + 5 * SECOND,
    });
    world.clock.now += 5 * SECOND;
    await run(delayed[0]!);
    const [first, second] = receiver.received;
    expect(second!.body).toBe(first!.body);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.headers['x-service-event']).toBe(first!.headers['x-service-event']);
    expect(await onlyDelivery(webhook)).toMatchObject({
      status: 'delivered',
      attempts: [
        { status_code: 500, error: 'Answered 500' },
        { status_code: 200, error: null },
      ],
    });
  });

  test('is not sent again by a message that arrives twice or early', async () => {
    await world.addWebhook({ url: receiver.url });
    receiver.script(500);
    const { delayed } = await publish();
    await run(delayed[0]!);
    expect(receiver.received).toHaveLength(1);
    world.clock.now += 5 * SECOND;
    await run(delayed[0]!);
    await run(delayed[0]!);
    expect(receiver.received).toHaveLength(2);
  });

  test('fails after the eighth attempt; delays beyond the queue limit use a schedule', async () => {
    const webhook = await world.addWebhook({ url: receiver.url });
    receiver.script(503);
    let { delayed } = await publish();
    const delays: number[] = [];
    for (let attempts = 1; attempts < 8; attempts++) {
      const { next_attempt_at } = await onlyDelivery(webhook);
      const delay = next_attempt_at! - world.clock.now;
      delays.push(delay);
      const queueUrl = 'setting:EVENTS_QUEUE_URL';
      expect(delayed).toMatchObject([{ queueUrl, delayS: delay / SECOND, group: webhook.id }]);
      world.clock.now = next_attempt_at!;
      expect(await sweep()).toEqual([]);
      await run(delayed[0]!);
      delayed = await drain();
    }
    expect(delays).toEqual([5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR]);
    const failed = await onlyDelivery(webhook);
    expect(failed).toMatchObject({ status: 'failed', next_attempt_at: null });
    expect(failed.attempts).toHaveLength(8);
    expect(delayed).toEqual([]);
    world.clock.now += DAY;
    expect(await sweep()).toEqual([]);
  });

  test('waits as long as Retry-After says', async () => {
    const webhook = await world.addWebhook({ url: receiver.url });
    receiver.script(response => response.writeHead(429, { 'retry-after': '3600' }).end());
    const { delayed } = await publish();
    expect(delayed).toMatchObject([{ delayS: 3600 }]);
    expect((await onlyDelivery(webhook)).next_attempt_at).toBe(world.clock.now + HOUR);
  });

  test('whose schedule could not be created is retried by the sweeper', async () => {
    const webhook = await world.addWebhook({ url: receiver.url });
    receiver.script(response => response.writeHead(503, { 'retry-after': '3600' }).end(), 200);
    world.failSchedules(true);
    const { delayed } = await publish();
    expect(delayed).toEqual([]);
    world.clock.now += HOUR + 2 * MINUTE;
    const [message] = await sweep();
    await run(message!);
    expect((await onlyDelivery(webhook)).status).toBe('delivered');
  });
});

describe('a receiver that', () => {
  test.each([301, 302, 303, 307, 308])('redirects with %i is not followed', async status => {
    const elsewhere = await startReceiver();
    const webhook = await world.addWebhook({ url: receiver.url });
    const to = (location: string) => (response: ServerResponse) => {
      response.writeHead(status, { location }).end();
    };
    receiver.script(to(elsewhere.url), to('http://169.254.169.254/latest/meta-data/'));
    await publish();
    await publish();
    expect(elsewhere.received).toEqual([]);
    const failed = [{ status_code: status, error: `Answered ${status}; redirects are not followed` }];
    expect(await deliveriesOf(webhook)).toMatchObject([
      { status: 'pending', attempts: failed },
      { status: 'pending', attempts: failed },
    ]);
    await elsewhere.close();
  });

  test('answers 410 is disabled', async () => {
    const webhook = await world.addWebhook({ url: receiver.url });
    receiver.script(410);
    const { delayed } = await publish();
    expect(delayed).toEqual([]);
    expect(await onlyDelivery(webhook)).toMatchObject({ status: 'failed', attempts: [{ status_code: 410 }] });
    expect(await stateOf(webhook)).toMatchObject({ active: false, disabled_reason: 'gone' });
    await publish();
    expect(receiver.received).toHaveLength(1);
  });

  test('fails for five days is disabled; a success in between resets the period', async () => {
    const webhook = await world.addWebhook({ url: receiver.url });
    receiver.script(500, 200, 500);
    const began = world.clock.now;
    await publish();
    expect(await stateOf(webhook)).toMatchObject({ failing_since: began });
    world.clock.now += 3 * DAY;
    await publish();
    expect(await stateOf(webhook)).toMatchObject({ failing_since: null });
    await publish();
    world.clock.now += 5 * DAY - SECOND;
    await publish();
    expect(await stateOf(webhook)).toMatchObject({ active: true });
    world.clock.now += SECOND;
    await publish();
    expect(await stateOf(webhook)).toMatchObject({ active: false, disabled_reason: 'failing' });
  });

  test('closes the connection without a response is retried', async () => {
    const webhook = await world.addWebhook({ url: receiver.url });
    receiver.script(response => response.socket?.destroy());
    const { delayed } = await publish();
    expect(delayed).toHaveLength(1);
    expect((await onlyDelivery(webhook)).attempts).toMatchObject([
      { status_code: null, error: expect.stringMatching(/socket hang up|ECONNRESET/) },
    ]);
  });

  test('answers 200 and breaks off or never ends has accepted the delivery', async () => {
    const webhook = await world.addWebhook({ url: receiver.url });
    receiver.script(
      response => {
        response.writeHead(200, { 'content-length': '100' }).write('half');
        setTimeout(() => response.socket?.destroy(), 20);
      },
      response => {
        response.writeHead(200);
        const writing = setInterval(() => response.write('x'.repeat(16_384)), 1);
        response.once('close', () => clearInterval(writing));
      },
    );
    await publish();
    await publish();
    expect((await deliveriesOf(webhook)).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  });

  test('explains an error is quoted in the attempt, truncated and on one line', async () => {
    const webhook = await world.addWebhook({ url: receiver.url });
    receiver.script(response => response.writeHead(400).end(`no\r\n\tsuch hook ${'!'.repeat(5000)}`));
    await publish();
    const error = (await onlyDelivery(webhook)).attempts[0]!.error!;
    expect(error).toMatch(/^Answered 400: no such hook !+$/);
    expect(error.length).toBeLessThanOrEqual(220);
  });

  test('hangs fails after 10 s and does not delay the others', async () => {
    const quick = await startReceiver();
    const slow = await world.addWebhook({ url: receiver.url });
    const other = await world.addWebhook({ url: quick.url });
    const asked = Promise.withResolvers<null>();
    receiver.script(() => asked.resolve(null));
    const responded = Promise.withResolvers<null>();
    quick.script(response => {
      response.end();
      responded.resolve(null);
    });
    const limits: number[] = [];
    const open: HttpClient['open'] = request => {
      limits.push(request.timeoutMs);
      return http.open(request);
    };
    dispatcher = { ...dispatcher, http: { ...http, open } };
    const published = publish();
    await Promise.all([asked.promise, responded.promise]);
    expect(await deliveriesOf(slow)).toEqual([]);
    await published;
    expect(limits).toEqual([10 * SECOND, 10 * SECOND]);
    expect((await onlyDelivery(other)).status).toBe('delivered');
    expect((await onlyDelivery(slow)).attempts).toMatchObject([
      { status_code: null, error: 'No response within 10 s' },
    ]);
    await quick.close();
  });
});

describe('an address', () => {
  test.each(['https://169.254.169.254/latest/', 'https://[::ffff:10.0.0.1]/', 'https://[fd00::1]/x'])(
    'that is private is not connected to: %s',
    async url => {
      const webhook = await world.addWebhook({ url });
      await publish();
      expect((await onlyDelivery(webhook)).attempts).toMatchObject([
        { status_code: null, error: expect.stringContaining('not public') },
      ]);
    },
  );

  test('is checked again at connection time', async () => {
    http.close();
    http = createHttpClient({ sandboxUrl: null, allowLoopback: false });
    dispatcher = { ...dispatcher, http };
    const webhook = await world.addWebhook({ url: receiver.url.replace('127.0.0.1', 'localhost') });
    await publish();
    expect(receiver.received).toEqual([]);
    expect((await onlyDelivery(webhook)).attempts).toMatchObject([
      { status_code: null, error: 'localhost resolves to an address that is not public' },
    ]);
  });
});

describe('a webhook that was', () => {
  test('disabled or deleted while a retry was pending gets no more attempts', async () => {
    const disabled = await world.addWebhook({ url: receiver.url });
    const deleted = await world.addWebhook({ url: receiver.url });
    receiver.script(500);
    const { delayed } = await publish();
    expect(delayed).toHaveLength(2);
    const { table } = world.services;
    await updateWebhook(table, world.workspace_id, disabled.id, { active: false });
    await deleteWebhook(table, world.workspace_id, deleted.id);
    world.clock.now += 5 * SECOND;
    await Promise.all(delayed.map(run));
    expect(receiver.received).toHaveLength(2);
    for (const webhook of [disabled, deleted]) {
      const { status, attempts } = await onlyDelivery(webhook);
      expect(status).toBe('failed');
      expect(attempts[1]).toMatchObject({
        status_code: null,
        error: 'Not sent: the webhook is disabled or deleted',
      });
    }
    world.clock.now += DAY;
    expect(await sweep()).toEqual([]);
  });
});

describe('a receiver that keeps timing out', () => {
  /** Makes requests time out as soon as the receiver hangs. */
  const simulateTimeouts = () => {
    let timeOut: () => void = () => undefined;
    const open: HttpClient['open'] = request => {
      const late = Promise.withResolvers<never>();
      timeOut = () => late.reject(new HttpFailure('timeout', 'Simulated timeout', true));
      return Promise.race([http.open(request), late.promise]);
    };
    dispatcher = { ...dispatcher, http: { ...http, open } };
    receiver.script(() => timeOut());
  };

  /** Returns a webhook that timed out twice, a minute apart, and is now paused for a minute. */
  async function pausedWebhook(): Promise<Webhook> {
    const webhook = await world.addWebhook({ url: receiver.url });
    simulateTimeouts();
    await publish();
    expect(await stateOf(webhook)).toMatchObject({ paused_until: null });
    world.clock.now += MINUTE;
    await publish();
    expect(await stateOf(webhook)).toMatchObject({ paused_until: world.clock.now + MINUTE });
    expect(receiver.received).toHaveLength(2);
    return webhook;
  }
  const newest = async (webhook: Webhook) => (await deliveriesOf(webhook))[0]!;

  test('is paused for as long as it has been failing, at most five minutes; skipped attempts are recorded', async () => {
    const webhook = await pausedWebhook();
    world.clock.now += 30 * SECOND;
    const { delayed } = await publish();
    expect(receiver.received).toHaveLength(2);
    expect(delayed).toMatchObject([{ delayS: 5 }]);
    expect(await newest(webhook)).toMatchObject({
      status: 'pending',
      attempts: [{ status_code: null, error: expect.stringMatching(/^Not sent: /) }],
    });
    world.clock.now += HOUR;
    await publish();
    expect(receiver.received).toHaveLength(3);
    expect(await stateOf(webhook)).toMatchObject({ paused_until: world.clock.now + 5 * MINUTE });
  });

  test('is no longer paused after the first success', async () => {
    const webhook = await pausedWebhook();
    world.clock.now += 2 * MINUTE;
    receiver.script(200);
    await publish();
    expect(await stateOf(webhook)).toMatchObject({ failing_since: null, paused_until: null });
  });

  test('still gets tests and redeliveries', async () => {
    const webhook = await pausedWebhook();
    receiver.script(200);
    const { table } = world.services;
    const testEvent = { ...world.event(), event: 'webhook.test' as const };
    const tested = newDelivery(testEvent, webhook, world.clock.now);
    await createDelivery(table, tested);
    await updateWebhook(table, world.workspace_id, webhook.id, { paused_until: world.clock.now + HOUR });
    await run(deliveryMessage(tested));
    const again = {
      ...newDelivery(world.event(), webhook, world.clock.now),
      redelivery_of: tested.delivery_id,
    };
    await createDelivery(table, again);
    await updateWebhook(table, world.workspace_id, webhook.id, { paused_until: world.clock.now + HOUR });
    await run(deliveryMessage(again));
    expect(receiver.received).toHaveLength(4);
  });

  test('still gets the last attempt of a delivery', async () => {
    const webhook = await pausedWebhook();
    receiver.script(200);
    const { table } = world.services;
    const failed = { at: 1, status_code: 500, duration_ms: 1, error: 'Answered 500' };
    const delivery = {
      ...newDelivery(world.event(), webhook, world.clock.now),
      attempts: Array.from({ length: 7 }, () => failed),
    };
    await createDelivery(table, delivery);
    await run(deliveryMessage(delivery));
    expect(await getDelivery(table, delivery)).toMatchObject({ status: 'delivered' });
  });
});

describe('connections', () => {
  test('are reused within an invocation', async () => {
    await world.addWebhook({ url: receiver.url });
    const sockets = new Set<unknown>();
    receiver.script(response => {
      sockets.add(response.socket);
      response.end('ok');
    });
    for (let n = 0; n < 5; n += 1) await publish();
    expect(receiver.received).toHaveLength(5);
    expect(sockets.size).toBe(1);
  });

  test('are closed after 4 KB of an endless response', async () => {
    await world.addWebhook({ url: receiver.url });
    let written = 0;
    const closed = Promise.withResolvers<null>();
    receiver.script(response => {
      response.writeHead(500);
      const writing = setInterval(() => {
        written += 1024;
        response.write('x'.repeat(1024));
      }, 5);
      response.once('close', () => {
        clearInterval(writing);
        closed.resolve(null);
      });
    });
    await publish();
    await closed.promise;
    expect(written).toBeLessThan(64 * 1024);
  });
});
