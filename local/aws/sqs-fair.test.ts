import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import * as v from 'valibot';
import { CAPACITY } from '../../shared/delivery/load.ts';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import { SECOND } from '../../shared/time/instant.ts';
import { createSqs, type Sqs } from './sqs.ts';

const QUEUE_URL = 'http://127.0.0.1:1/000000000000/publish';
const START = Date.UTC(2026, 11, 1, 10);
const MessagesSchema = v.object({
  Messages: v.optional(v.array(v.object({ Body: v.string(), ReceiptHandle: v.string() })), []),
});

let sqs: Sqs;
beforeEach(() => {
  // The emulator reads the time; nothing else of a test waits.
  jest.useFakeTimers({ now: START });
  sqs = createSqs(null);
  sqs.createQueue({ name: 'publish', attributes: {} }, QUEUE_URL);
});
afterEach(() => {
  sqs.close();
  jest.useRealTimers();
});

async function send(MessageGroupId: string | null, ...bodies: string[]): Promise<void> {
  for (const MessageBody of bodies) {
    const group = MessageGroupId !== null && { MessageGroupId };
    await sqs.handle('SendMessage', { QueueUrl: QUEUE_URL, MessageBody, ...group });
  }
}

async function receive(MaxNumberOfMessages = CAPACITY) {
  const input = { QueueUrl: QUEUE_URL, MaxNumberOfMessages, WaitTimeSeconds: 0 };
  const { body } = await sqs.handle('ReceiveMessage', input);
  return v.parse(MessagesSchema, JSON.parse(body)).Messages;
}

const received = async (count?: number) => (await receive(count)).map(({ Body }) => Body);
const numbered = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}${i}`);

test('tenants with equal shares in flight take turns', async () => {
  await send('a', ...numbered('a', 3));
  await send('b', ...numbered('b', 2));
  await send(null, 'alone');
  expect(await received()).toEqual(['a0', 'b0', 'alone', 'a1', 'b1', 'a2']);
});

test('the tenant with the fewest messages in flight comes first', async () => {
  await send('a', ...numbered('a', 6));
  expect(await received(3)).toEqual(['a0', 'a1', 'a2']);
  await send('b', ...numbered('b', 4));
  expect(await received()).toEqual(['b0', 'b1', 'b2', 'a3', 'b3', 'a4', 'a5']);
});

test('the order within a tenant is kept', async () => {
  await send('a', ...numbered('a', 12));
  expect(await received()).toEqual(numbered('a', 10));
  expect(await received()).toEqual(['a10', 'a11']);
});

/** How long an environment needs for a batch of texts: its platform answers slowly. */
const BATCH_MS = 700;
const ENVIRONMENTS = RULES.x.worker.max_concurrency;
const BACKLOG = 10_000;
/** The other workspace posts while the backlog is being published. */
const SENT_AT = START + 5 * SECOND;
const OTHERS = 10;

test('10,000 posts of one workspace delay the posts of another by less than 2 s', async () => {
  await send('busy', ...numbered('busy', BACKLOG));
  const waits: number[] = [];
  const environments = Array.from({ length: ENVIRONMENTS }, () => ({
    freeAt: START,
    receipts: [] as string[],
  }));
  while (waits.length < OTHERS) {
    const [next] = environments.toSorted((a, b) => a.freeAt - b.freeAt);
    if (Date.now() < SENT_AT && next!.freeAt >= SENT_AT) {
      jest.setSystemTime(SENT_AT);
      await send('other', ...numbered('other', OTHERS));
    }
    jest.setSystemTime(next!.freeAt);
    for (const ReceiptHandle of next!.receipts) {
      await sqs.handle('DeleteMessage', { QueueUrl: QUEUE_URL, ReceiptHandle });
    }
    const batch = await receive();
    next!.receipts = batch.map(({ ReceiptHandle }) => ReceiptHandle);
    next!.freeAt += BATCH_MS;
    for (const { Body } of batch) if (Body.startsWith('other')) waits.push(Date.now() - SENT_AT);
  }
  const [left] = sqs.depths();
  expect(left!.depth).toBeGreaterThan(BACKLOG / 2);
  expect(Math.max(...waits)).toBeLessThan(2 * SECOND);
});
