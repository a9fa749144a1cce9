import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestTable, type TestTable } from '../../test/support/table.ts';
import { openStore } from '../store.ts';
import { noBuckets } from '../../test/support/bucket.ts';
import { noLambda } from '../../test/support/lambda.ts';
import { noTasks } from '../../test/support/no-tasks.ts';
import { createCalls } from './calls.ts';
import { createAwsFaults } from './faults.ts';
import { startAwsEndpoint, type AwsEndpoint } from './endpoint.ts';
import { createScheduler } from './scheduler.ts';
import { createSqs } from './sqs.ts';
import { createSsm } from './ssm.ts';
import { localClientConfig } from './tables.ts';

let awsEndpoint: AwsEndpoint;
let table: TestTable;
let client: DynamoDBDocumentClient;
const calls = createCalls();

beforeAll(async () => {
  table = await createTestTable();
  awsEndpoint = await startAwsEndpoint();
  const store = openStore(null);
  awsEndpoint.open({
    dynamoDb: process.env['DYNAMODB_ENDPOINT']!,
    sqs: createSqs(null),
    lambda: noLambda,
    ssm: createSsm(store, Date.now),
    scheduler: createScheduler({ store, now: Date.now, jitterS: 0, deliver: () => Promise.resolve() }),
    faults: createAwsFaults(() => Promise.resolve()),
    calls,
    s3: noBuckets,
    ecs: noTasks,
  });
  client = DynamoDBDocumentClient.from(new DynamoDBClient(localClientConfig(awsEndpoint.url)));
});
afterAll(async () => {
  client.destroy();
  await awsEndpoint.close();
  await table.close();
});
beforeEach(() => calls.reset());

const key = { PK: 'a', SK: 'b' };
const put = (Item: Record<string, unknown>, more: object = {}) =>
  client.send(new PutCommand({ TableName: table.name, Item: { ...key, ...Item }, ...more }));
const units = () => {
  const { read_units, write_units } = calls.report();
  return { read: read_units, write: write_units };
};

describe('capacity units of DynamoDB calls', () => {
  test('counts one write unit per started KB', async () => {
    await put({});
    await put({ text: 'x'.repeat(2500) });
    expect(units()).toEqual({ read: 0, write: 1 + 3 });
  });

  test('counts a write whose condition fails like a successful one', async () => {
    await put({ SK: 'small' });
    await expect(put({ SK: 'small' }, { ConditionExpression: 'attribute_not_exists(PK)' })).rejects.toThrow();
    expect(units().write).toBe(2);
  });

  test('counts two units per action and started KB of a transaction', async () => {
    const Put = (SK: string, text: string) => ({
      Put: { TableName: table.name, Item: { PK: 't', SK, text } },
    });
    const TransactItems = [Put('1', ''), Put('2', ''), Put('3', 'x'.repeat(1500))];
    await client.send(new TransactWriteCommand({ TransactItems }));
    expect(units().write).toBe(2 + 2 + 4);
  });

  test('counts at least half a unit for a read and one for a consistent read', async () => {
    const query = { KeyConditionExpression: 'PK = :p', ExpressionAttributeValues: { ':p': 'nobody' } };
    await client.send(new QueryCommand({ TableName: table.name, ...query }));
    await client.send(new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true }));
    expect(units()).toEqual({ read: 1.5, write: 0 });
  });

  test('returns ConsumedCapacity only to a caller that requests it', async () => {
    expect(await put({})).not.toHaveProperty('ConsumedCapacity');
    expect(await put({}, { ReturnConsumedCapacity: 'TOTAL' })).toMatchObject({
      ConsumedCapacity: { CapacityUnits: 1 },
    });
  });
});
