import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  UpdateTimeToLiveCommand,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { randomUUID } from 'node:crypto';
import { localClientConfig } from '../../local/aws/tables.ts';
import { REGION } from '../../local/template/names.ts';
import { WAKE_INDEX, type Table } from '../../shared/store/table.ts';

/**
 * Signs a request with a constant: the emulator reads whose key it is and checks nothing else, and a real signature is a third
 * of the CPU time of a call.
 */
const constantSigner = {
  sign: request => {
    request.headers['authorization'] =
      `AWS4-HMAC-SHA256 Credential=local/20260101/${REGION}/dynamodb/aws4_request, SignedHeaders=host, Signature=none`;
    request.headers['x-amz-date'] = '20260101T000000Z';
    return Promise.resolve(request);
  },
} satisfies DynamoDBClientConfig['signer'];

export interface TestTable extends Table {
  close: () => Promise<void>;
}

/** Creates an empty table with the keys, index and TTL of the deployed one. */
export async function createTestTable(): Promise<TestTable> {
  const name = `test-${randomUUID()}`;
  const raw = new DynamoDBClient({
    ...localClientConfig(process.env['DYNAMODB_ENDPOINT']!),
    signer: constantSigner,
  });
  await raw.send(tableDefinition(name));
  await raw.send(
    new UpdateTimeToLiveCommand({
      TableName: name,
      TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
    }),
  );
  const client = DynamoDBDocumentClient.from(raw, { marshallOptions: { removeUndefinedValues: true } });
  const close = async () => {
    await raw.send(new DeleteTableCommand({ TableName: name }));
    raw.destroy();
  };
  return { client, name, close };
}

function tableDefinition(name: string): CreateTableCommand {
  return new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'PK', AttributeType: 'S' },
      { AttributeName: 'SK', AttributeType: 'S' },
      { AttributeName: 'wake_shard', AttributeType: 'S' },
      { AttributeName: 'wake_at', AttributeType: 'N' },
    ],
    KeySchema: [
      { AttributeName: 'PK', KeyType: 'HASH' },
      { AttributeName: 'SK', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: WAKE_INDEX,
        KeySchema: [
          { AttributeName: 'wake_shard', KeyType: 'HASH' },
          { AttributeName: 'wake_at', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  });
}
