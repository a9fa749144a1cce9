import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SSMClient } from '@aws-sdk/client-ssm';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { existsSync, readFileSync } from 'node:fs';
import * as v from 'valibot';
import { stackName } from '../../lib/settings.ts';
import { localClientConfig } from '../../local/aws/tables.ts';
import { DEFAULT_DATA } from '../../local/options.ts';
import { stackFileBeside, stackFileIn } from '../../local/ready.ts';
import type { Table } from '../../shared/store/table.ts';

/** The stack that a command works with. */
export interface Target {
  table: Table;
  ssm: SSMClient;
  parameterPrefix: string;
}

const LocalStackSchema = v.object({
  aws_endpoint: v.string(),
  table: v.string(),
  parameter_prefix: v.string(),
});

/**
 * Returns a deployed stack for `--table` (and `--stage`), with the AWS credentials and region of the environment;
 * otherwise the running local stack. Throws when no local stack is running, and for a stage without its table.
 */
export function findTarget(options: Record<string, string>): Target {
  if (options['table']) return deployed(options['table'], options['stage'] ?? 'prod');
  if (options['stage']) throw new Error('--stage requires --table <TableName output of the deployment>');
  const readyFile = options['ready-file'];
  const file = readyFile ? stackFileBeside(readyFile) : stackFileIn(options['data'] ?? DEFAULT_DATA);
  if (!existsSync(file)) {
    throw new Error(
      `No local stack is running (${file} does not exist). Run npm start first, or choose a deployed stack with ` +
        '--stage prod --table <TableName output of the deployment>',
    );
  }
  const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return local(v.parse(LocalStackSchema, json));
}

function deployed(table: string, stage: string): Target {
  return {
    table: { client: DynamoDBDocumentClient.from(new DynamoDBClient({})), name: table },
    ssm: new SSMClient({}),
    parameterPrefix: `/${stackName(stage)}`,
  };
}

function local(stack: v.InferOutput<typeof LocalStackSchema>): Target {
  const settings = localClientConfig(stack.aws_endpoint);
  return {
    table: { client: DynamoDBDocumentClient.from(new DynamoDBClient(settings)), name: stack.table },
    ssm: new SSMClient(settings),
    parameterPrefix: stack.parameter_prefix,
  };
}
