import { spawn } from 'node:child_process';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stackFileBeside, type Ready } from '../../local/ready.ts';
import { localClientConfig } from '../../local/aws/tables.ts';
import { PLATFORM_IDS, type PlatformId } from '../../shared/model/platform.ts';
import { createWorkspace } from '../../shared/runtime/bootstrap.ts';
import { connectedProfiles } from './profiles.ts';
import { clientOf, databaseOf, QUIET_ON_ANY_PORT, readAws, readReady, type TestStack } from './stack.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EXIT_WITH_PARENT = join(ROOT, 'local/aws/exit-with-parent.mjs');
/** Belongs to this worker of jest: its test files run one after the other. */
const FOLDER = join(process.env['TEST_FOLDER'] ?? tmpdir(), `stack-${process.pid}`);
const LOG = join(FOLDER, 'log.txt');

/**
 * Returns the stack that the test files of this worker share, since a start takes longer than most of these tests. Each
 * file gets a workspace of its own on the business plan, whose profile Demo is connected to these platforms (default: all).
 * What it shares with earlier files: the clock, which may be ahead, and what is published in the sandbox. `close` removes
 * the faults of this file; the stack exits with the worker.
 */
export async function sharedStack(platforms: readonly PlatformId[] = PLATFORM_IDS): Promise<TestStack> {
  const readyFile = join(FOLDER, 'ready.json');
  const running = existsSync(FOLDER) ? null : spawnStack(readyFile);
  const ready = await readReady(readyFile, running, () => readFileSync(LOG, 'utf8'));
  const aws = readAws(stackFileBeside(readyFile));
  const own = { ...ready, ...(await newWorkspace(clientOf(ready, aws))) };
  const client = clientOf(own, aws);
  const stack: TestStack = {
    ...client,
    readyFile,
    close: async () => {
      await client.control('DELETE', '/_control/faults');
    },
  };
  await connectedProfiles(stack, ['Demo'], platforms);
  return stack;
}

/** Starts a stack that keeps neither jest nor its worker from exiting. */
function spawnStack(readyFile: string) {
  mkdirSync(FOLDER);
  const log = openSync(LOG, 'a');
  const stack = [join(ROOT, 'bin/local.ts'), '--ephemeral', ...QUIET_ON_ANY_PORT, '--ready-file', readyFile];
  const child = spawn(process.execPath, [EXIT_WITH_PARENT, process.execPath, ...stack], {
    // Not the worker's own output, which jest reads to its end before it exits.
    stdio: ['pipe', log, log],
    // With time to remove its files.
    env: { ...process.env, ...databaseOf(), BROADCAST_SIZE: '180p', EXIT_SIGNAL: 'SIGTERM' },
  });
  closeSync(log);
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}

async function newWorkspace(
  stack: ReturnType<typeof clientOf>,
): Promise<Pick<Ready, 'api_key' | 'workspace_id'>> {
  const dynamo = new DynamoDBClient(localClientConfig(stack.aws.endpoint));
  try {
    const { workspace, api_key } = await createWorkspace(
      {
        client: DynamoDBDocumentClient.from(dynamo, { marshallOptions: { removeUndefinedValues: true } }),
        name: stack.aws.table,
      },
      { name: 'Test', plan: 'business', owner_email: 'owner@example.com' },
      await stack.now(),
    );
    return { workspace_id: workspace.workspace_id, api_key };
  } finally {
    dynamo.destroy();
  }
}
