import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testWith } from '../../test/support/tools.ts';
import { createTestTable } from '../../test/support/table.ts';
import { dueInShard } from '../../shared/store/wake.ts';
import { listen, stop } from '../http.ts';
import { startDynamoDb, type EngineName } from './dynamodb.ts';
import { freePort } from './free-port.ts';
import { localClientConfig } from './tables.ts';

/** Runs the body with DYNAMODB_ENDPOINT unset. */
async function withoutEndpoint<T>(body: () => Promise<T>): Promise<T> {
  const endpoint = process.env['DYNAMODB_ENDPOINT'];
  delete process.env['DYNAMODB_ENDPOINT'];
  try {
    return await body();
  } finally {
    process.env['DYNAMODB_ENDPOINT'] = endpoint;
  }
}

describe('startDynamoDb', () => {
  test('uses DYNAMODB_ENDPOINT if it is set', async () => {
    const { endpoint, close } = await startDynamoDb();
    expect(endpoint).toBe(process.env['DYNAMODB_ENDPOINT']);
    await close();
  });

  const starts = (only: EngineName) => async () => {
    const db = await withoutEndpoint(() => startDynamoDb({ only }));
    expect(await fetch(db.endpoint).then(({ status }) => status)).toBeLessThan(500);
    await db.close();
    await expect(fetch(db.endpoint)).rejects.toThrow();
  };

  /** Simulates another program that takes the port first. */
  const startsBeside = (only: EngineName) => async () => {
    const other = createServer((_, response) => response.end('hello'));
    const taken = Number(new URL(await listen(other, 0)).port);
    const ports = [taken];
    const newPort = () => Promise.resolve(ports.pop()).then(port => port ?? freePort());
    const db = await withoutEndpoint(() => startDynamoDb({ only, newPort }));
    expect(new URL(db.endpoint).port).not.toBe(String(taken));
    expect((await fetch(db.endpoint)).headers.get('x-amzn-requestid')).not.toBeNull();
    await db.close();
    await stop(other);
  };

  testWith('java')('starts and stops DynamoDB Local', starts('dynamodb-local'));
  testWith('java')('leaves no file of DynamoDB Local behind', async () => {
    const tempDir = mkdtempSync(join(tmpdir(), 'test-'));
    const db = await withoutEndpoint(() => startDynamoDb({ only: 'dynamodb-local', tempDir }));
    const dynamo = new DynamoDBClient(localClientConfig(db.endpoint));
    await dynamo.send(new ListTablesCommand());
    dynamo.destroy();
    expect(readdirSync(tempDir)).toHaveLength(1);
    await db.close();
    expect(readdirSync(tempDir)).toEqual([]);
    rmSync(tempDir, { recursive: true });
  });
  testWith('java')(
    'starts DynamoDB Local on another port if the first is taken',
    startsBeside('dynamodb-local'),
  );
  test('starts dynoxide on another port if the first is taken', startsBeside('dynoxide'));
  test('starts and stops dynoxide', starts('dynoxide'));
});

describe('createTestTable', () => {
  test('creates a table with the keys and the sparse index of the deployed one', async () => {
    const table = await createTestTable();
    const put = (Item: Record<string, unknown>) =>
      table.client.send(new PutCommand({ TableName: table.name, Item }));
    await put({ PK: 'WS#1', SK: 'A', wake_shard: 'WAKE#3', wake_at: 5 });
    await put({ PK: 'WS#1', SK: 'B' });
    expect(await dueInShard(table, 3, 5, 10)).toEqual([{ PK: 'WS#1', SK: 'A' }]);
    const all = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'PK = :p',
        ExpressionAttributeValues: { ':p': 'WS#1' },
      }),
    );
    expect(all.Count).toBe(2);
    await table.close();
  });
});
