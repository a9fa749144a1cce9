import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import * as v from 'valibot';
import { work } from '../../functions/webhook-dispatcher/work.ts';
import { deliveryMessage, EventMessageSchema } from '../../shared/events/messages.ts';
import { sendEvent } from '../../shared/events/publish.ts';
import { newId } from '../../shared/model/id.ts';
import type { Delivery, Webhook } from '../../shared/model/webhook.ts';
import {
  createHttpClient,
  HttpFailure,
  type HttpClient,
  type HttpRequest,
  type OpenResponse,
} from '../../shared/net/http.ts';
import { WAKE_SHARDS } from '../../shared/store/table.ts';
import { dueInShard } from '../../shared/store/wake.ts';
import { deliveryOfKey, getWebhook, listDeliveries } from '../../shared/store/webhooks.ts';
import { startTlsReceivers, TLS_KINDS, type TlsReceivers } from '../support/bad-tls.ts';
import { REACTIONS, startHostileReceivers, TAKING, Witness } from '../support/hostile-receivers.ts';
import type { SentNote } from '../support/queue-messages.ts';
import { testWith } from '../support/tools.ts';
import { webhookHouse, type WebhookHouse } from '../support/webhooks.ts';

/*
 * Many events against receivers of every bad kind, on a clock that is moved through the whole table of retries. Notes get
 * lost and come twice. `npm run campaign:webhooks` runs 10,000 events; WEBHOOK_SEED repeats a run.
 */
const EVENTS = Number(process.env['WEBHOOK_EVENTS'] ?? 85);
const SEED = process.env['WEBHOOK_SEED'] ?? '1';
const PARALLEL = 50;
const MINUTE = 60_000;
const STEP = 30 * MINUTE;
const MOST_ATTEMPTS = 8;
/** No wait is longer: ten hours and a fifth, and the sweeper's grace. */
const LONGEST_WAIT = 13 * 60 * MINUTE;

/** A number 0..1 that only depends on the seed and the words. */
const chance = (...words: (string | number)[]) =>
  createHash('sha256')
    .update([SEED, ...words].join(' '))
    .digest()
    .readUInt32BE() /
  2 ** 32;
const pick = <T>(from: readonly T[], ...words: (string | number)[]): T =>
  from[Math.floor(chance(...words) * from.length)]!;

let house: WebhookHouse;
let http: HttpClient;
let witness: Witness;

beforeEach(async () => {
  house = await webhookHouse();
  witness = new Witness(house.secret);
  const client = createHttpClient({ sandboxUrl: null, allowLoopback: true }, () =>
    Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  );
  http = { ...client, open: request => openNumbered(client, request) };
});
afterEach(async () => {
  http.close();
  await house.close();
});

/** The number of a request, in a header: so the receiver's side can name it. */
const NUMBER = 'x-campaign-request';
let requestsSent = 0;
/** Ends what waits for the answer to a request. */
const endings = new Map<string, (why: HttpFailure) => void>();

function openNumbered(client: HttpClient, request: HttpRequest): Promise<OpenResponse> {
  const number = String((requestsSent += 1));
  const late = Promise.withResolvers<never>();
  endings.set(number, late.reject);
  const opening = client.open({ ...request, headers: { ...request.headers, [NUMBER]: number } });
  return Promise.race([opening, late.promise]).finally(() => endings.delete(number));
}

/** The ten seconds of a request that hangs are over at once; those of no other, however busy the machine is. */
function timeOut(response: ServerResponse): void {
  endings.get(String(response.req.headers[NUMBER]))?.(new HttpFailure('timeout', 'It hangs', true));
  response.destroy();
}

async function runAll(bodies: readonly unknown[]): Promise<void> {
  const dispatcher = { services: house.services, http, random: Math.random };
  const rest = bodies.values();
  const lane = async () => {
    for (const body of rest) await work(v.parse(EventMessageSchema, body), dispatcher);
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
}

async function sweep(): Promise<unknown[]> {
  const shards = Array.from({ length: WAKE_SHARDS }, (_, shard) =>
    dueInShard(house.services.table, shard, house.clock.now, 1000),
  );
  return (await Promise.all(shards))
    .flat()
    .map(key => deliveryOfKey(key))
    .filter(ref => ref !== null)
    .map(ref => deliveryMessage(ref).body);
}

/** One in fifty notes comes twice, one in fifty of those of deliveries is lost, as if its sender had died. */
function mishaps(messages: SentNote[], round: number): SentNote[] {
  return messages.flatMap((message, index) => {
    const luck = chance('mishap', round, index);
    const { kind } = v.parse(EventMessageSchema, message.body);
    if (luck < 0.02 && kind === 'delivery') return [];
    return luck < 0.04 ? [message, message] : [message];
  });
}

/** Works off everything, until nothing waits on a queue or in the table any more. */
async function runToTheEnd(): Promise<void> {
  let waiting: { due: number; body: unknown }[] = [];
  let quietUntil = house.clock.now + LONGEST_WAIT;
  for (let round = 0; house.clock.now < quietUntil; round += 1) {
    const sent = mishaps(house.takeNotes(), round);
    waiting.push(...sent.map(({ body, delayS }) => ({ due: house.clock.now + 1000 * delayS, body })));
    const due = waiting.filter(message => message.due <= house.clock.now).map(({ body }) => body);
    waiting = waiting.filter(message => message.due > house.clock.now);
    const work = due.length > 0 ? due : await sweep();
    if (work.length > 0) {
      await runAll(work);
      quietUntil = house.clock.now + LONGEST_WAIT;
    } else {
      const next = Math.min(house.clock.now + STEP, ...waiting.map(message => message.due));
      // In whole steps, so that what falls due together waits for its time-outs together.
      house.clock.now = Math.ceil(next / STEP) * STEP;
    }
  }
}

/** Publishes events to webhooks of different workspaces in turn, and gives the ids by the name of the webhook. */
async function publishTo(webhooks: Map<string, Webhook>, events: number): Promise<Map<string, string[]>> {
  const ids = new Map([...webhooks.keys()].map(name => [name, [] as string[]]));
  const names = [...webhooks.keys()];
  for (let n = 0; n < events; n += 1) {
    const name = names[n % names.length]!;
    const event = house.event();
    ids.get(name)!.push(event.id);
    await sendEvent(house.services, event, webhooks.get(name)!.workspace_id);
    house.clock.now += 20;
  }
  return ids;
}

async function register(urls: Record<string, string>): Promise<Map<string, Webhook>> {
  const webhooks = new Map<string, Webhook>();
  for (const [name, url] of Object.entries(urls)) {
    webhooks.set(name, await house.addWebhook({ url, workspace_id: newId() }));
  }
  return webhooks;
}

async function log(webhook: Webhook): Promise<Delivery[]> {
  const all: Delivery[] = [];
  for (let more = true; more;) {
    const page = await listDeliveries(house.services.table, webhook.id, 100, all.at(-1)?.delivery_id ?? null);
    all.push(...page.deliveries);
    more = page.more;
  }
  return all;
}

const statuses = (deliveries: Delivery[]) => [...new Set(deliveries.map(({ status }) => status))];

describe(`${EVENTS} events, seed ${SEED}`, () => {
  const passing = Object.keys(REACTIONS).filter(name => name !== 'answers 410' && name !== 'answers 200');
  const quick = passing.filter(name => name !== 'hangs');

  /** Some receivers are always the same; the moody ones refuse an event several times, in several ways, and then take it. */
  const react = (name: string, id: string, { requests }: { requests: number }) => {
    const moody = { 'moody, quick': 8, 'moody, slow': 4 }[name.replace(/ \d$/, '')];
    if (moody === undefined) return REACTIONS[name]!;
    const refusals = Math.floor(chance('refusals', id) * moody);
    if (requests > refusals) return pick(TAKING, 'taking', id, requests);
    return REACTIONS[pick(moody === 8 ? quick : passing, 'refusing', id, requests)]!;
  };

  test('each that can be delivered is, at least once, with one id and identical bytes', async () => {
    const names = [
      ...Object.keys(REACTIONS),
      ...[1, 2, 3, 4].flatMap(n => [`moody, quick ${n}`, `moody, slow ${n}`]),
    ];
    const receivers = await startHostileReceivers(witness, (name, id, seen) => {
      const reaction = react(name, id, seen);
      const taken = name === 'answers 200' || TAKING.includes(reaction);
      return response => {
        seen.taken ||= taken;
        reaction(response);
        if (reaction === REACTIONS['hangs']) timeOut(response);
      };
    });
    const webhooks = await register(Object.fromEntries(names.map(name => [name, receivers.url(name)])));
    const ids = await publishTo(webhooks, EVENTS);
    await runToTheEnd();

    expect(witness.complaints).toEqual([]);
    for (const [name, webhook] of webhooks) {
      const deliveries = await log(webhook);
      const takes = name === 'answers 200' || name.startsWith('moody');
      const wanted = ids.get(name)!;
      if (name === 'answers 410') {
        expect(await getWebhook(house.services.table, webhook.workspace_id, webhook.id)).toMatchObject({
          active: false,
          disabled_reason: 'gone',
        });
        expect(statuses(deliveries)).toEqual(['failed']);
        continue;
      }
      expect({ name, events: deliveries.map(({ event_id }) => event_id).sort() }).toEqual({
        name,
        events: [...wanted].sort(),
      });
      expect({ name, statuses: statuses(deliveries) }).toEqual({
        name,
        statuses: [takes ? 'delivered' : 'failed'],
      });
      if (takes) {
        expect({ name, missed: wanted.filter(id => witness.seen.get(id)?.taken !== true) }).toEqual({
          name,
          missed: [],
        });
      } else {
        expect(deliveries.every(({ attempts }) => attempts.length === MOST_ATTEMPTS)).toBe(true);
      }
    }
    const hanging = await log(webhooks.get('hangs')!);
    const attempts = hanging.flatMap(delivery => delivery.attempts);
    const spared = attempts.filter(({ error }) => error?.startsWith('Not sent'));
    expect(
      hanging.every(delivery => delivery.attempts.some(({ error }) => !error!.startsWith('Not sent'))),
    ).toBe(true);
    const requests = [...witness.seen.values()].reduce((sum, seen) => sum + seen.requests, 0);
    process.stdout.write(
      `Webhook campaign, seed ${SEED}: ${EVENTS} events, ${requests} requests, ${spared.length} of ${attempts.length} turns of the hanging receiver spared.\n`,
    );
    await receivers.close();
  }, 1_800_000);

  describe('to receivers that speak TLS badly', () => {
    const trusted = getCACertificates('default');
    let receivers: TlsReceivers | null = null;
    afterEach(async () => {
      setDefaultCACertificates(trusted);
      await receivers?.close();
    });

    testWith('openssl')(
      'not a byte is given to any but the good one',
      async () => {
        const reached = new Set<string>();
        receivers = await startTlsReceivers((request, response) => {
          reached.add(request.url ?? '');
          void witness.watch(request).then(() => response.writeHead(200).end());
        });
        setDefaultCACertificates([...trusted, receivers.ca]);
        const urls = TLS_KINDS.map(kind => [kind, receivers!.url(kind)] as const);
        const webhooks = await register(Object.fromEntries(urls));
        const ids = await publishTo(webhooks, EVENTS / 4);
        await runToTheEnd();

        expect([...reached]).toEqual(['/good']);
        expect(witness.complaints).toEqual([]);
        expect([...witness.seen.keys()].sort()).toEqual([...ids.get('good')!].sort());
        const reasons = new Map<string, string[]>();
        for (const [name, webhook] of webhooks) {
          const deliveries = await log(webhook);
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
