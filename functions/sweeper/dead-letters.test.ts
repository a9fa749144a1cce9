import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import type { Destination } from '../../shared/model/destination.ts';
import { DAY } from '../../shared/time/instant.ts';
import { readDeadLetters } from './dead-letters.ts';

let world: DeliveryWorld;
/** Destinations that were reported as ended. */
let reported: Destination[];
let letters: { MessageId: string; ReceiptHandle: string; Body: string }[];

beforeEach(async () => {
  world = await deliveryWorld();
  letters = [];
  reported = [];
});
afterEach(() => world.close());

/** Reads these dead letters in one sweep. Returns their number, and those that are left in the queue, visible. */
async function read(...bodies: unknown[]) {
  letters = bodies.map((body, index) => ({
    MessageId: `m${index}`,
    ReceiptHandle: `m${index}`,
    Body: typeof body === 'string' ? body : JSON.stringify(body),
  }));
  const received = [letters.slice()];
  const others = await world.services.sqs;
  const visible = new Set<string>();
  const send = (command: unknown) => {
    if (command instanceof ReceiveMessageCommand) {
      expect(command.input.WaitTimeSeconds).toBe(0);
      expect(visible.size).toBe(0);
      return Promise.resolve({ Messages: received.pop() });
    }
    if (command instanceof ChangeMessageVisibilityCommand) {
      expect(command.input.VisibilityTimeout).toBe(0);
      visible.add(command.input.ReceiptHandle!);
      return Promise.resolve({});
    }
    if (!(command instanceof DeleteMessageCommand)) return others.send(command as never);
    letters = letters.filter(({ ReceiptHandle }) => ReceiptHandle !== command.input.ReceiptHandle);
    return Promise.resolve({});
  };
  const sqs = { send } as unknown as SQSClient;
  const count = await readDeadLetters({ ...world.services, sqs }, (_, destination) =>
    reported.push(destination),
  );
  expect(visible).toEqual(new Set(letters.map(({ ReceiptHandle }) => ReceiptHandle)));
  return { count, left: letters.map(({ Body }) => Body) };
}

test('counts the failed deliveries of a publish message, and deletes it', async () => {
  const stored = await world.store({ due_at: world.clock.now });
  const { workspace_id, post_id, version } = stored;
  const message = { workspace_id, post_id, platform: 'x', version, hops: 3 };
  expect(await read(message)).toEqual({ count: 1, left: [] });
  const post = await world.read(stored);
  expect(post.destinations.x).toMatchObject({ status: 'retrying', failures: 5 });
  expect(reported).toEqual([]);
});

test('reports a destination that is given up, for the metric of failed posts', async () => {
  const due_at = world.clock.now;
  const stored = await world.store({ due_at });
  const { workspace_id, post_id, version } = stored;
  const message = { workspace_id, post_id, platform: 'x', version };
  await read(message);
  world.clock.now += 2 * DAY;
  await read(message);
  expect(reported).toEqual([expect.objectContaining({ platform: 'x', status: 'failed' })]);
});

test.each([
  ['a dispatch message', { workspace_id: 'w', post_id: 'p' }],
  ['a webhook delivery', { kind: 'delivery', webhook_id: 'h', delivery_id: 'd' }],
  [
    'the event of a function that failed on every attempt',
    {
      version: '1.0',
      requestContext: { functionArn: 'arn:aws:lambda:::function:f:$LATEST', condition: 'RetriesExhausted' },
      requestPayload: { kind: 'upload', workspace_id: 'w', upload_id: 'u' },
    },
  ],
])('deletes %s, whose item is in the wake index', async (_, letter) => {
  expect(await read(letter)).toEqual({ count: 1, left: [] });
});

test('leaves what only the message knows, or nobody understands, and reads the others', async () => {
  const events = { kind: 'events', workspace_id: 'w', events: [] };
  const { workspace_id, post_id, version } = await world.store({ due_at: world.clock.now });
  const message = { workspace_id, post_id, platform: 'x', version };
  expect(await read(events, 'no JSON', message)).toEqual({
    count: 3,
    left: [JSON.stringify(events), 'no JSON'],
  });
});
