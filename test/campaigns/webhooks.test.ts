import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import * as v from 'valibot';
import { work } from '../../functions/webhook-dispatcher/work.ts';
import { deliveryMessage, EventMessageSchema } from '../../shared/events/messages.ts';
import { sendEvents } from '../../shared/events/publish.ts';
import { newId } from '../../shared/model/id.ts';
import type { Delivery, Webhook } from '../../shared/model/webhook.ts';
import {
  createHttpClient,
  HttpFailure,
  type HttpClient,
  type HttpRequest,
  type OpenResponse,
} from '../../shared/net/http.ts';
import { deliveryOfKey, listDeliveries } from '../../shared/store/webhook-deliveries.ts';
import { getWebhook } from '../../shared/store/webhooks.ts';
import { startTlsReceivers, TLS_KINDS, type TlsReceivers } from '../support/bad-tls.ts';
import {
  ACCEPTING,
  DeliveryObserver,
  REACTIONS,
  startHostileReceivers,
} from '../support/hostile-receivers.ts';
import type { SentMessage } from '../support/queue-messages.ts';
import { testWith } from '../support/tools.ts';
import { webhookWorld, type WebhookWorld } from '../support/webhooks.ts';
import { dueKeys } from '../support/due-items.ts';

/*
 * Sends many events to receivers that misbehave in every way, on a simulated clock that runs through all retries. Messages
 * get lost and arrive twice. `npm run campaign:webhooks` runs 10,000 events; WEBHOOK_SEED repeats a run.
 */
const EVENTS = Number(process.env['WEBHOOK_EVENTS'] ?? 85);
const SEED = process.env['WEBHOOK_SEED'] ?? '1';
const CONCURRENCY = 50;
const MINUTE = 60_000;
const STEP = 30 * MINUTE;
const MAX_ATTEMPTS = 8;
/** Longer than any delay: ten hours and a fifth, and the sweeper's grace period. */
const LONGEST_DELAY = 13 * 60 * MINUTE;

/** Returns a number 0..1 that depends on the seed and the keys only. */
const random = (...keys: (string | number)[]) =>
  createHash('sha256')
    .update([SEED, ...keys].join(' '))
    .digest()
    .readUInt32BE() /
  2 ** 32;
const pick = <T>(from: readonly T[], ...keys: (string | number)[]): T =>
  from[Math.floor(random(...keys) * from.length)]!;

let world: WebhookWorld;
let http: HttpClient;
let observer: DeliveryObserver;

beforeEach(async () => {
  world = await webhookWorld();
  observer = new DeliveryObserver(world.secret);
  const client = createHttpClient({ sandboxUrl: null, allowLoopback: true }, () =>
    Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  );
  http = { ...client, open: request => openNumbered(client, request) };
});
afterEach(async () => {
  http.close();
  await world.close();
});

/** Header with the number of a request, so that the receiver can name it. */
const NUMBER_HEADER = 'x-campaign-request';
let requestsSent = 0;
/** Rejects pending requests by their number. */
const rejections = new Map<string, (failure: HttpFailure) => void>();

function openNumbered(client: HttpClient, request: HttpRequest): Promise<OpenResponse> {
  const number = String((requestsSent += 1));
  const timeout = Promise.withResolvers<never>();
  rejections.set(number, timeout.reject);
  const opening = client.open({ ...request, headers: { ...request.headers, [NUMBER_HEADER]: number } });
  return Promise.race([opening, timeout.promise]).finally(() => rejections.delete(number));
}

/** Lets a hanging request time out at once instead of after ten seconds; other requests keep their full timeout. */
function timeOut(response: ServerResponse): void {
  rejections.get(String(response.req.headers[NUMBER_HEADER]))?.(
    new HttpFailure('timeout', 'Simulated timeout', true),
  );
  response.destroy();
}

async function runAll(bodies: readonly unknown[]): Promise<void> {
  const dispatcher = { services: world.services, http, random: Math.random };
  const rest = bodies.values();
  const worker = async () => {
    for (const body of rest) await work(v.parse(EventMessageSchema, body), dispatcher);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

async function sweep(): Promise<unknown[]> {
  return (await dueKeys(world.services.table, world.clock.now))
    .map(key => deliveryOfKey(key))
    .filter(ref => ref !== null)
    .map(ref => deliveryMessage(ref).body);
}

/** Duplicates one in fifty messages and drops one in fifty delivery messages, as if the sender had crashed. */
function injectQueueFaults(messages: SentMessage[], round: number): SentMessage[] {
  return messages.flatMap((message, index) => {
    const value = random('queue fault', round, index);
    const { kind } = v.parse(EventMessageSchema, message.body);
    if (value < 0.02 && kind === 'delivery') return [];
    return value < 0.04 ? [message, message] : [message];
  });
}

/** Processes messages and advances the clock until nothing is pending on a queue or in the table. */
async function runToCompletion(): Promise<void> {
  let delayed: { due: number; body: unknown }[] = [];
  let quietUntil = world.clock.now + LONGEST_DELAY;
  for (let round = 0; world.clock.now < quietUntil; round += 1) {
    const sent = injectQueueFaults(world.takeMessages(), round);
    delayed.push(...sent.map(({ body, delayS }) => ({ due: world.clock.now + 1000 * delayS, body })));
    const due = delayed.filter(message => message.due <= world.clock.now).map(({ body }) => body);
    delayed = delayed.filter(message => message.due > world.clock.now);
    const work = due.length > 0 ? due : await sweep();
    if (work.length > 0) {
      await runAll(work);
      quietUntil = world.clock.now + LONGEST_DELAY;
    } else {
      const next = Math.min(world.clock.now + STEP, ...delayed.map(message => message.due));
      // In whole steps, so that requests that time out run concurrently.
      world.clock.now = Math.ceil(next / STEP) * STEP;
    }
  }
}

/** Publishes events to webhooks of different workspaces in turn. Returns the event ids by the webhook's name. */
async function publishTo(webhooks: Map<string, Webhook>, events: number): Promise<Map<string, string[]>> {
  const ids = new Map([...webhooks.keys()].map(name => [name, [] as string[]]));
  const names = [...webhooks.keys()];
  for (let n = 0; n < events; n += 1) {
    const name = names[n % names.length]!;
    const event = world.event();
    ids.get(name)!.push(event.id);
    await sendEvents(world.services, [event], webhooks.get(name)!.workspace_id);
    world.clock.now += 20;
  }
  return ids;
}

async function register(urls: Record<string, string>): Promise<Map<string, Webhook>> {
  const webhooks = new Map<string, Webhook>();
  for (const [name, url] of Object.entries(urls)) {
    webhooks.set(name, await world.addWebhook({ url, workspace_id: newId() }));
  }
  return webhooks;
}

async function deliveriesOf(webhook: Webhook): Promise<Delivery[]> {
  const all: Delivery[] = [];
  for (let more = true; more;) {
    const page = await listDeliveries(world.services.table, webhook.id, 100, all.at(-1)?.delivery_id ?? null);
    all.push(...page.deliveries);
    more = page.more;
  }
  return all;
}

const statuses = (deliveries: Delivery[]) => [...new Set(deliveries.map(({ status }) => status))];

describe(`${EVENTS} events, seed ${SEED}`, () => {
  const transient = Object.keys(REACTIONS).filter(name => name !== 'answers 410' && name !== 'answers 200');
  const fast = transient.filter(name => name !== 'hangs');

  /** Flaky receivers fail an event several times in several ways and then accept it; the others always react the same. */
  const react = (name: string, id: string, { requests }: { requests: number }) => {
    const maxFailures = { 'flaky, fast': 8, 'flaky, slow': 4 }[name.replace(/ \d$/, '')];
    if (maxFailures === undefined) return REACTIONS[name]!;
    const failures = Math.floor(random('failures', id) * maxFailures);
    if (requests > failures) return pick(ACCEPTING, 'accepting', id, requests);
    return REACTIONS[pick(maxFailures === 8 ? fast : transient, 'failing', id, requests)]!;
  };

  test('delivers every deliverable event at least once with one id and identical bytes', async () => {
    const names = [
      ...Object.keys(REACTIONS),
      ...[1, 2, 3, 4].flatMap(n => [`flaky, fast ${n}`, `flaky, slow ${n}`]),
    ];
    const receivers = await startHostileReceivers(observer, (name, id, event) => {
      const reaction = react(name, id, event);
      const accepts = name === 'answers 200' || ACCEPTING.includes(reaction);
      return response => {
        event.accepted ||= accepts;
        reaction(response);
        if (reaction === REACTIONS['hangs']) timeOut(response);
      };
    });
    const webhooks = await register(Object.fromEntries(names.map(name => [name, receivers.url(name)])));
    const ids = await publishTo(webhooks, EVENTS);
    await runToCompletion();

    expect(observer.errors).toEqual([]);
    for (const [name, webhook] of webhooks) {
      const deliveries = await deliveriesOf(webhook);
      const accepts = name === 'answers 200' || name.startsWith('flaky');
      const expected = ids.get(name)!;
      if (name === 'answers 410') {
        expect(await getWebhook(world.services.table, webhook.workspace_id, webhook.id)).toMatchObject({
          active: false,
          disabled_reason: 'gone',
        });
        expect(statuses(deliveries)).toEqual(['failed']);
        continue;
      }
      expect({ name, events: deliveries.map(({ event_id }) => event_id).sort() }).toEqual({
        name,
        events: [...expected].sort(),
      });
      expect({ name, statuses: statuses(deliveries) }).toEqual({
        name,
        statuses: [accepts ? 'delivered' : 'failed'],
      });
      if (accepts) {
        expect({ name, missed: expected.filter(id => observer.events.get(id)?.accepted !== true) }).toEqual({
          name,
          missed: [],
        });
      } else {
        expect(deliveries.every(({ attempts }) => attempts.length === MAX_ATTEMPTS)).toBe(true);
      }
    }
    const hanging = await deliveriesOf(webhooks.get('hangs')!);
    const attempts = hanging.flatMap(delivery => delivery.attempts);
    const skipped = attempts.filter(({ error }) => error?.startsWith('Not sent'));
    expect(
      hanging.every(delivery => delivery.attempts.some(({ error }) => !error!.startsWith('Not sent'))),
    ).toBe(true);
    const requests = [...observer.events.values()].reduce((sum, event) => sum + event.requests, 0);
    process.stdout.write(
      `Webhook campaign, seed ${SEED}: ${EVENTS} events, ${requests} requests, ${skipped.length} of ${attempts.length} attempts to the hanging receiver skipped.\n`,
    );
    await receivers.close();
  }, 1_800_000);

  describe('to receivers with invalid TLS', () => {
    const trusted = getCACertificates('default');
    let receivers: TlsReceivers | null = null;
    afterEach(async () => {
      setDefaultCACertificates(trusted);
      await receivers?.close();
    });

    testWith('openssl')(
      'sends data to the valid one only',
      async () => {
        const reached = new Set<string>();
        receivers = await startTlsReceivers((request, response) => {
          reached.add(request.url ?? '');
          void observer.observe(request).then(() => response.writeHead(200).end());
        });
        setDefaultCACertificates([...trusted, receivers.ca]);
        const urls = TLS_KINDS.map(kind => [kind, receivers!.url(kind)] as const);
        const webhooks = await register(Object.fromEntries(urls));
        const ids = await publishTo(webhooks, EVENTS / 4);
        await runToCompletion();

        expect([...reached]).toEqual(['/good']);
        expect(observer.errors).toEqual([]);
        expect([...observer.events.keys()].sort()).toEqual([...ids.get('good')!].sort());
        const reasons = new Map<string, string[]>();
        for (const [name, webhook] of webhooks) {
          const deliveries = await deliveriesOf(webhook);
          expect(deliveries).toHaveLength(ids.get(name)!.length);
          expect({ name, statuses: statuses(deliveries) }).toEqual({
            name,
            statuses: [name === 'good' ? 'delivered' : 'failed'],
          });
          const errors = deliveries.flatMap(({ attempts }) => attempts.map(({ error }) => error ?? 'none'));
          reasons.set(name, [...new Set(errors)]);
        }
        expect(Object.fromEntries(reasons)).toEqual({
          good: ['none'],
          'self-signed': [expect.stringMatching(/self-signed certificate/)],
          expired: [expect.stringMatching(/certificate has expired/)],
          'wrong host': [expect.stringMatching(/does not match certificate's altnames/)],
          garbage: [expect.stringMatching(/wrong version number|packet length too long/)],
          'old protocol': [expect.stringMatching(/unsupported protocol|protocol version/)],
        });
      },
      1_800_000,
    );
  });
});
