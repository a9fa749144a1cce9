import {
  ClientException,
  ClusterNotFoundException,
  ConflictException,
  DescribeTasksCommand,
  ECSClient,
  InvalidParameterException,
  RunTaskCommand,
  StopTaskCommand,
  type RunTaskCommandInput,
} from '@aws-sdk/client-ecs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEcsTasks } from '../../shared/broadcasts/ecs-tasks.ts';
import { noServices } from '../../test/support/no-services.ts';
import { createClock, type Clock } from '../clock.ts';
import { createEcs, type Ecs } from './ecs.ts';
import { startAwsEndpoint, type AwsEndpoint, type AwsServices } from './endpoint.ts';
import { createEventBus } from './event-bus.ts';
import { localClientConfig } from './tables.ts';

const FAMILY = 'service-broadcaster';
const SETTINGS = {
  cluster: 'cluster',
  task_definition: `arn:aws:ecs:us-east-1:000000000000:task-definition/${FAMILY}:1`,
  container: 'broadcaster',
  subnets: ['subnet'],
  security_groups: ['group'],
};
/** Tells its environment and its time, and runs until it is told to stop. */
const PROGRAM = `
  console.log(JSON.stringify([process.env.SESSION_ID, process.env.MODE, Date.now()]));
  const timer = setInterval(() => Date.now() > Number(process.env.END_AT) && process.exit(3), 10);
  process.on('SIGTERM', () => process.env.MODE === 'stubborn' || process.exit(0));
`;
const END_AT = Date.now() + 3_600_000;

let endpoint: AwsEndpoint;
let services: AwsServices;
let client: ECSClient;
let clock: Clock;
let ecs: Ecs;
let output: string;
let events: string[];

beforeAll(async () => {
  endpoint = await startAwsEndpoint();
  services = noServices();
  client = new ECSClient(localClientConfig(endpoint.url));
});
afterAll(async () => {
  client.destroy();
  await endpoint.close();
});
afterEach(() => ecs.close());
beforeEach(() => {
  output = '';
  events = [];
  clock = createClock();
  ecs = open('normal');
});

function open(mode: string): Ecs {
  const made = createEcs({
    clusters: [SETTINGS.cluster],
    definitions: [
      {
        arn: SETTINGS.task_definition,
        family: FAMILY,
        container: SETTINGS.container,
        command: ['node', '--eval', PROGRAM],
        environment: { MODE: 'overridden', END_AT: String(END_AT) },
        stopTimeoutS: 0.3,
      },
    ],
    environment: () => ({ MODE: mode }),
    clock,
    emit: createEventBus(
      [
        {
          pattern: { source: ['aws.ecs'], detail: { lastStatus: ['STOPPED'] } },
          targets: [
            {
              arn: 'queue',
              input: {
                InputPathsMap: {
                  by: '$.detail.startedBy',
                  group: '$.detail.group',
                  code: '$.detail.stopCode',
                },
                InputTemplate: '{"session":<by>,"workspace":<group>,"code":"<code>"}',
              },
            },
          ],
        },
        { pattern: { source: ['aws.other'] }, targets: [{ arn: 'other', input: null }] },
      ],
      (target, input) => {
        events.push(`${target} ${input}`);
        return Promise.resolve();
      },
    ),
    log: (_, __, text) => (output += text),
  });
  endpoint.open({ ...services, ecs: made });
  return made;
}

const tasks = () => createEcsTasks(client, SETTINGS);
const worker = { sessionId: 'session-1', workspaceId: 'workspace-1', attempt: 1 };

async function run(ref = worker): Promise<string> {
  const started = await tasks().run(ref);
  if (started === 'no_capacity') throw new Error('The task was not started');
  while (output === '') await sleep(10);
  return started.arn;
}

async function stopped(arn: string) {
  while (await tasks().isRunning(arn)) await sleep(10);
  const { tasks: found = [] } = await client.send(
    new DescribeTasksCommand({ cluster: SETTINGS.cluster, tasks: [arn] }),
  );
  return found[0]!;
}

test('runs the command with the variables of definition, runner and request', async () => {
  const arn = await run();
  expect(arn).toMatch(/^arn:aws:ecs:us-east-1:000000000000:task\/cluster\/[0-9a-f]{32}$/);
  expect(JSON.parse(output)).toEqual(['session-1', 'normal', expect.any(Number)]);
  expect(await tasks().isRunning(arn)).toBe(true);
  expect(await tasks().runningOf('session-1')).toEqual([arn]);
  expect(await tasks().runningOf('session-2')).toEqual([]);
  expect(await tasks().isRunning(arn.replace(/.$/, 'x'))).toBe(false);
});

test('starts a worker once, however often it is asked', async () => {
  const arn = await run();
  expect(await run()).toBe(arn);
  // Another revision of the task definition in between.
  const later = createEcsTasks(client, { ...SETTINGS, task_definition: FAMILY });
  expect(await later.run(worker)).toEqual({ arn });
  expect(await run({ ...worker, attempt: 2 })).not.toBe(arn);
  expect(ecs.running()).toHaveLength(2);
});

test('stops a task by SIGTERM and reports its end as an event', async () => {
  const arn = await run();
  await tasks().stop(arn, 'Enough');
  expect(await stopped(arn)).toMatchObject({
    stopCode: 'UserInitiated',
    stoppedReason: 'Enough',
    desiredStatus: 'STOPPED',
    stoppedAt: expect.any(Date),
    containers: [{ name: 'broadcaster', exitCode: 0 }],
  });
  expect(events).toEqual(['queue {"session":"session-1","workspace":"workspace-1","code":"UserInitiated"}']);
  expect(await tasks().runningOf('session-1')).toEqual([]);
  // Harmless for a task that has ended, and for one that nobody knows.
  await tasks().stop(arn, 'Again');
  await tasks().stop(arn.replace(/.$/, 'x'), 'Unknown');
});

test('kills a task that does not end within its timeout', async () => {
  ecs = open('stubborn');
  const arn = await run();
  await tasks().stop(arn, 'Enough');
  expect(await stopped(arn)).toMatchObject({ containers: [{ exitCode: 137 }] });
});

test('reports a task that ends or is killed as exited', async () => {
  const arn = await run();
  expect(ecs.kill(ecs.running()[0]!.id)).toBe(true);
  expect(await stopped(arn)).toMatchObject({
    stopCode: 'EssentialContainerExited',
    containers: [{ exitCode: 137 }],
  });
});

test('has the clock of the stack, also after it was advanced', async () => {
  clock.advance(60);
  const arn = await run();
  const [, , now] = JSON.parse(output) as [string, string, number];
  expect(Math.abs(now - clock.now())).toBeLessThan(20_000);
  expect(now).toBeGreaterThan(Date.now() + 40_000);
  clock.advance(7200);
  expect(await stopped(arn)).toMatchObject({ containers: [{ exitCode: 3 }] });
});

test('has no capacity when a fault says so', async () => {
  services.faults.add({ service: 'ecs', operation: 'RunTask', lose: true });
  expect(await tasks().run(worker)).toBe('no_capacity');
  await run();
});

test('starts no worker while ECS refuses it, and starts it later', async () => {
  services.faults.add({ service: 'ecs', operation: 'RunTask', error: 'AccessDeniedException' });
  expect(await tasks().run(worker)).toBe('no_capacity');
  await run();
});

const VALID: RunTaskCommandInput = {
  cluster: SETTINGS.cluster,
  taskDefinition: FAMILY,
  launchType: 'FARGATE',
  networkConfiguration: { awsvpcConfiguration: { subnets: ['subnet'] } },
};

test.each([
  ['an unknown cluster', { cluster: 'other' }, ClusterNotFoundException],
  ['an unknown definition', { taskDefinition: 'other' }, ClientException],
  ['no network', { networkConfiguration: undefined }, InvalidParameterException],
  ['a bad client token', { clientToken: 'ä' }, InvalidParameterException],
])('refuses a task with %s', async (_, change, error) => {
  await expect(client.send(new RunTaskCommand({ ...VALID, ...change }))).rejects.toBeInstanceOf(error);
});

test('refuses a client token with other parameters, and to stop a task of another cluster', async () => {
  const arn = await run();
  const conflicting = new RunTaskCommand({ ...VALID, clientToken: 'session-1:1' });
  const error: unknown = await client.send(conflicting).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConflictException);
  expect(error).toMatchObject({ resourceIds: [arn] });
  await expect(client.send(new StopTaskCommand({ cluster: 'other', task: arn }))).rejects.toBeInstanceOf(
    ClusterNotFoundException,
  );
});
