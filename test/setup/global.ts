import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDynamoDb } from '../../local/aws/dynamodb.ts';

/** Starts one DynamoDB emulator for all test files, which exits with jest, and makes a folder for what they share. */
export default async function setup(): Promise<void> {
  const only = process.env['SERVICE_TEST_DYNAMODB'] === 'dynoxide' ? 'dynoxide' : null;
  const { endpoint, engine } = await startDynamoDb({ only, isShared: true });
  process.env['DYNAMODB_ENDPOINT'] = endpoint;
  // The other emulator has one database for all access keys.
  process.env['DYNAMODB_IS_SHARED'] = String(engine === 'DynamoDB Local');
  process.env['TEST_FOLDER'] = mkdtempSync(join(tmpdir(), 'test-run-'));
}
