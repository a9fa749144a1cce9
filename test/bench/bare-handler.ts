import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** The least that a function which reads the table loads: what the bundles of the service are compared with. */
export async function handler(key: Record<string, string>): Promise<unknown> {
  const { Item } = await client.send(new GetCommand({ TableName: 'table', Key: key }));
  return Item;
}
