import { expect, test } from '@jest/globals';
import type { Context, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { consume, type Load } from './worker.ts';

const MessageSchema = v.object({ name: v.string(), weight: v.number() });
type Message = v.InferOutput<typeof MessageSchema>;

/** Runs a consumer on messages with these weights, and returns what it did with each. `m2` stands for the third message. */
async function run(weights: readonly number[], change: Partial<Load<Message>> = {}, extra: string[] = []) {
  const handled: string[] = [];
  const sentBack: string[] = [];
  let running = 0;
  let most = 0;
  const handler = consume(
    MessageSchema,
    async ({ name }) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      if (name === 'fails') throw new Error('Failed');
      handled.push(name);
    },
    {
      capacity: 10,
      weightOf: ({ weight }) => weight,
      sendBack: ({ name }) => Promise.resolve(void sentBack.push(name)),
      ...change,
    },
  );
  const bodies = [...weights.map((weight, index) => JSON.stringify({ name: `m${index}`, weight })), ...extra];
  const Records = bodies.map((body, index) => ({ messageId: `id${index}`, body }) as SQSRecord);
  const { batchItemFailures } = await handler({ Records }, {} as Context);
  return { handled, sentBack, most, failed: batchItemFailures.map(each => each.itemIdentifier) };
}

test('messages that fit are handled side by side', async () => {
  const result = await run(Array.from({ length: 10 }, () => 1));
  expect(result).toMatchObject({ sentBack: [], failed: [], most: 10 });
  expect(result.handled).toHaveLength(10);
});

test.each([
  ['a heavy message leaves no room', [10, 1, 1], ['m0'], ['m1', 'm2']],
  ['one that is too heavy is handled alone', [50, 1], ['m0'], ['m1']],
  ['lighter ones after it may still fit', [5, 10, 5, 1], ['m0', 'm2'], ['m1', 'm3']],
])('%s', async (_, weights, handled, sentBack) => {
  expect(await run(weights)).toMatchObject({ handled, sentBack, failed: [] });
});

test('a message that cannot be sent back returns to the queue', async () => {
  const sendBack = () => Promise.reject(new Error('No queue'));
  expect(await run([10, 10], { sendBack })).toMatchObject({ handled: ['m0'], failed: ['id1'] });
});

test('only messages that fail or cannot be parsed return to the queue', async () => {
  const extra = ['{"name":"fails","weight":1}', 'not JSON', '{"name":1}'];
  expect(await run([1], {}, extra)).toMatchObject({ handled: ['m0'], failed: ['id1', 'id2', 'id3'] });
});
