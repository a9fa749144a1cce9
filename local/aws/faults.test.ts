import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import {
  ConflictException,
  CreateScheduleCommand,
  SchedulerClient,
  ThrottlingException,
} from '@aws-sdk/client-scheduler';
import { DynamoDBClient, GetItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { BadRequest } from '../sandbox/bad-request.ts';
import { noTasks } from '../../test/support/no-tasks.ts';
import { openStore } from '../store.ts';
import { noLambda } from '../../test/support/lambda.ts';
import { createCalls } from './calls.ts';
import { createAwsFaults } from './faults.ts';
import { startAwsEndpoint, type AwsEndpoint } from './endpoint.ts';
import { createScheduler } from './scheduler.ts';
import { createSqs, type Sqs } from './sqs.ts';
import { createSsm } from './ssm.ts';
import { localClientConfig } from './tables.ts';

const killed: string[] = [];
const faults = createAwsFaults(environment => Promise.resolve(killed.push(environment)));
let awsEndpoint: AwsEndpoint;
let emulator: Sqs;
let sqs: SQSClient;
let scheduler: SchedulerClient;
let dynamo: DynamoDBClient;
const queueUrl = () => `${awsEndpoint.url}/000000000000/work`;

beforeAll(async () => {
  awsEndpoint = await startAwsEndpoint();
  const store = openStore(null);
  emulator = createSqs(null);
  emulator.createQueue({ name: 'work', attributes: {} }, queueUrl());
  awsEndpoint.open({
    dynamoDb: '',
    sqs: emulator,
    lambda: noLambda,
    ssm: createSsm(store, Date.now),
    scheduler: createScheduler({ store, now: Date.now, jitterS: 0, deliver: () => Promise.resolve() }),
    calls: createCalls(),
    faults,
    s3: { serves: () => false, handle: () => Promise.resolve() },
    ecs: noTasks,
  });
  const once = { ...localClientConfig(awsEndpoint.url), maxAttempts: 1 };
  sqs = new SQSClient({ ...once, useQueueUrlAsEndpoint: false });
  scheduler = new SchedulerClient(once);
  dynamo = new DynamoDBClient(once);
});
afterAll(async () => {
  for (const client of [sqs, scheduler, dynamo]) client.destroy();
  emulator.close();
  await awsEndpoint.close();
});
beforeEach(() => {
  faults.clear();
  emulator.purge();
  killed.length = 0;
});

const send = (MessageBody: string) => sqs.send(new SendMessageCommand({ QueueUrl: queueUrl(), MessageBody }));
const waiting = () => emulator.depths()[0]!;
const schedule = () =>
  scheduler.send(
    new CreateScheduleCommand({
      Name: 'wake',
      ScheduleExpression: 'at(2999-01-01T00:00:00)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { Arn: 'arn:aws:sqs:us-east-1:000000000000:work', RoleArn: 'arn:aws:iam::000000000000:role/r' },
    }),
  );

describe('an injected AWS fault', () => {
  test('returns the named error for the given number of calls', async () => {
    faults.add({ service: 'scheduler', operation: 'CreateSchedule', error: 'ThrottlingException', after: 1 });
    await schedule();
    await expect(schedule()).rejects.toThrow(ThrottlingException);
    await expect(schedule()).rejects.toThrow(ConflictException);
    expect(faults.list()).toEqual([expect.objectContaining({ hits: 1, remaining: 0 })]);
  });

  test('cancels a transaction with TransactionConflict', async () => {
    faults.add({ service: 'dynamodb', operation: 'TransactWriteItems', error: 'TransactionConflict' });
    const conflict = dynamo.send(
      new TransactWriteItemsCommand({
        TransactItems: [{ Put: { TableName: 't', Item: { PK: { S: 'a' } } } }],
      }),
    );
    await expect(conflict).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: [{ Code: 'TransactionConflict' }],
    });
  });

  test.each(['ProvisionedThroughputExceededException', 'ThrottlingException', 'InternalServerError'])(
    'returns %s',
    async error => {
      faults.add({ service: 'dynamodb', error });
      const get = dynamo.send(new GetItemCommand({ TableName: 't', Key: { PK: { S: 'a' } } }));
      await expect(get).rejects.toMatchObject({ name: error });
    },
  );

  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)('drops the connection %s processing a message', async (drop, depth) => {
    faults.add({ service: 'sqs', operation: 'SendMessage', drop });
    await expect(send('hello')).rejects.toThrow();
    expect(waiting().depth).toBe(depth);
  });

  test('loses, repeats or delays a message', async () => {
    faults.add({ service: 'sqs', operation: 'SendMessage', queue: 'work', lose: true });
    faults.add({ service: 'sqs', operation: 'SendMessage', queue: 'work', repeat: 3 });
    faults.add({ service: 'sqs', operation: 'SendMessage', queue: 'work', late_s: 30 });
    await send('lost');
    expect(waiting()).toMatchObject({ depth: 0, delayed: 0 });
    await send('thrice');
    expect(waiting()).toMatchObject({ depth: 3, delayed: 0 });
    await send('late');
    expect(waiting()).toMatchObject({ depth: 3, delayed: 1 });
  });

  test('loses the deletion of a message', async () => {
    faults.add({ service: 'sqs', operation: 'DeleteMessage', lose: true });
    await send('again');
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: queueUrl() }));
    await sqs.send(
      new DeleteMessageCommand({ QueueUrl: queueUrl(), ReceiptHandle: Messages![0]!.ReceiptHandle }),
    );
    expect(waiting().in_flight).toBe(1);
  });

  test('hits calls with the given probability, the same ones for the same seed', async () => {
    const hitsOf = async (seed: number) => {
      faults.clear();
      faults.add({ service: 'sqs', times: 0, probability: 0.3, seed, error: 'InternalError' });
      const results: boolean[] = [];
      for (let index = 0; index < 40; index += 1)
        results.push(
          await send('x').then(
            () => false,
            () => true,
          ),
        );
      return results;
    };
    const first = await hitsOf(7);
    expect(await hitsOf(7)).toEqual(first);
    expect(await hitsOf(8)).not.toEqual(first);
    const share = first.filter(Boolean).length / first.length;
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.6);
  });

  test('does not affect calls of other functions, queues and services', async () => {
    faults.add({ service: 'sqs', function: 'publisher-x', error: 'InternalError' });
    faults.add({ service: 'sqs', queue: 'other', error: 'InternalError' });
    faults.add({ service: 'ssm', error: 'InternalError' });
    await send('unharmed');
    expect(waiting().depth).toBe(1);
  });

  test('kills the calling environment', async () => {
    const act = () => Promise.resolve({ status: 200, body: '{}' });
    const call = {
      service: 'sqs',
      operation: 'SendMessage',
      caller: 'stack-publisher-x',
      environment: 'stack-publisher-x:1',
      body: {},
    };
    faults.add({ service: 'sqs', function: 'publisher-x', kill: 'before' });
    await expect(faults.around(call, act)).rejects.toThrow('dropped');
    expect(killed).toEqual(['stack-publisher-x:1']);
  });
});

test.each([
  [{}, 'service'],
  [{ service: 'sqs' }, 'has no effect'],
  [{ service: 's4', error: 'X' }, 'service'],
  [{ service: 'sqs', error: 'X', times: -1 }, 'times'],
  [{ service: 'sqs', error: 'X', probability: 2 }, 'probability'],
  [{ service: 'sqs', late_s: 901 }, 'late_s'],
  [{ service: 'sqs', error: 'X', sometimes: true }, 'sometimes'],
  [null, 'object'],
])('refuses the invalid fault %j', (body, word) => {
  expect(() => faults.add(body)).toThrow(BadRequest);
  expect(() => faults.add(body)).toThrow(new RegExp(word, 'i'));
});
