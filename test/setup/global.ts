import { startDynamoDb } from '../../local/aws/dynamodb.ts';

/** Starts one DynamoDB emulator for all test files. It exits with jest. */
export default async function setup(): Promise<void> {
  const only = process.env['SERVICE_TEST_DYNAMODB'] === 'dynoxide' ? 'dynoxide' : null;
  const { endpoint } = await startDynamoDb({ only });
  process.env['DYNAMODB_ENDPOINT'] = endpoint;
}
