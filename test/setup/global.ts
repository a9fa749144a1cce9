import { startDynamoDb } from '../../local/aws/dynamodb.ts';

/** One DynamoDB for all test files. It ends with jest, however that ends. */
export default async function setup(): Promise<void> {
  const only = process.env['SERVICE_TEST_DYNAMODB'] === 'dynoxide' ? 'dynoxide' : null;
  const { endpoint } = await startDynamoDb({ only });
  process.env['DYNAMODB_ENDPOINT'] = endpoint;
}
