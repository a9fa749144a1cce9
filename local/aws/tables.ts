import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { REGION } from '../template/names.ts';
import type { TableResource } from '../template/resources.ts';

/** The access key of calls from this process: a database of its own in a DynamoDB Local that several programs share. */
export const accessKeyId = (): string => process.env['DYNAMODB_ACCESS_KEY'] ?? 'local';

/** Client configuration for calls to the local services from this process. */
export const localClientConfig = (endpoint: string) => ({
  endpoint,
  region: REGION,
  credentials: { accessKeyId: accessKeyId(), secretAccessKey: 'local' },
});

/** Creates the tables that do not exist yet, with their indexes and time to live. */
export async function createTables(endpoint: string, tables: readonly TableResource[]): Promise<void> {
  const client = new DynamoDBClient(localClientConfig(endpoint));
  try {
    await Promise.all(tables.map(table => createTable(client, table)));
  } finally {
    client.destroy();
  }
}

async function createTable(client: DynamoDBClient, { name, properties }: TableResource): Promise<void> {
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, TimeToLiveSpecification } = properties;
  try {
    await client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions,
        KeySchema,
        GlobalSecondaryIndexes,
      }),
    );
  } catch (error) {
    if (error instanceof ResourceInUseException) return;
    throw error;
  }
  if (!TimeToLiveSpecification) return;
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
}
