import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeCustomResource } from './aws/custom-resources.ts';
import { startDynamoDb } from './aws/dynamodb.ts';
import type { Sqs } from './aws/sqs.ts';
import { startAwsFront } from './aws/front.ts';
import { createTables } from './aws/tables.ts';
import { ENV } from '../shared/aws/env.ts';
import type { Cleanup } from './cleanup.ts';
import { startGateway } from './gateway/gateway.ts';
import { concurrencyOf, pollEventSource } from './lambda/event-sources.ts';
import { createFunctions, type LocalFunctions } from './lambda/functions.ts';
import { createRules } from './lambda/rules.ts';
import type { LocalOptions } from './options.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from './sandbox/index.ts';
import { createShownSecrets } from './shown-secrets.ts';
import { openServices, type LocalServices } from './services.ts';
import { CDN_PATH, createCdn } from './s3/cdn.ts';
import { synthesize } from './synthesize.ts';
import { ACCOUNT } from './template/names.ts';
import {
  apiRoutes,
  buckets,
  customResources,
  distribution,
  eventSources,
  functions as functionsOf,
  queues,
  rateRules,
  scheduleGroups,
  tables,
} from './template/resources.ts';
import { createReader, readTemplate } from './template/template.ts';

export interface LocalStack {
  /** Origin of the API. */
  url: string;
  /** Endpoint of all AWS calls. */
  awsUrl: string;
  /** Which DynamoDB runs. */
  engine: string;
  sandbox: Sandbox;
  services: LocalServices;
  /** Folder of logs and, where state is kept, of the state. */
  folder: string;
  /** Variables of all functions together: the names of the stack's parts. */
  settings: Readonly<Record<string, string>>;
  /** Sets queues, schedules and rules going. The API answers before that. */
  run: () => void;
}

/**
 * Brings the template up on this machine. Whatever must be undone is added to `cleanup`, also when the start fails or is
 * broken off half-way.
 */
export async function startStack(options: LocalOptions, cleanup: Cleanup): Promise<LocalStack> {
  const keep = options.data !== null;
  const folder = openFolder(options.data, cleanup);
  // First, so that a port in use is told at once.
  const gateway = closedLater(cleanup, await startGateway(options.port));
  const services = openServices(
    {
      ...options,
      folder,
      keep,
      invoke: (...call) => functions.invoke(...call),
      kill: id => functions.kill(id),
      working: () => functions.working(),
      between: act => functions.between(act),
      cool: () => functions.cool(),
    },
    cleanup,
  );
  const { sqs, clock, scheduler, local } = services;
  const secrets = createShownSecrets(services.store);

  const [front, sandbox, dynamoDb, synthesized] = await settled([
    startAwsFront().then(started => closedLater(cleanup, started)),
    openSandbox(options.port, {
      now: clock.now,
      local,
      secretsOf: secrets.of,
      kill: async id => {
        await functions.kill(id);
      },
    }).then(started => closedLater(cleanup, started)),
    startDynamoDb({ dataDir: keep ? join(folder, 'dynamodb') : null }).then(started =>
      closedLater(cleanup, started),
    ),
    synthesize(() => {
      if (!options.quiet) console.log('Building the stack, since its sources changed …');
    }),
  ]);
  const template = readTemplate(synthesized.folder);
  const reader = createReader(template, { aws: front.url, api: gateway.url });

  await createTables(dynamoDb.endpoint, tables(reader));
  const queueUrl = (name: string) => `${front.url}/${ACCOUNT}/${name}`;
  for (const queue of queues(reader)) sqs.createQueue(queue, queueUrl(queue.name));
  for (const bucket of buckets(reader)) services.s3.createBucket(bucket);
  for (const group of scheduleGroups(reader)) scheduler.createGroup(group);
  front.open({ ...services, dynamoDb: dynamoDb.endpoint });

  const sources = eventSources(reader);
  const resources = functionsOf(reader, template);
  const functions: LocalFunctions = createFunctions(
    resources,
    {
      environment: localVariables(front.url, sandbox.url, gateway.url, options),
      localHosts: [front.url, sandbox.url].map(url => new URL(url).host),
      clock: clock.memory,
      log: services.logs.write,
    },
    name =>
      sources
        .filter(source => source.function === name)
        .reduce((sum, source) => sum + concurrencyOf(source), 0),
  );
  cleanup.add(functions.close);
  const { invoke } = functions;

  for (const resource of customResources(reader)) {
    const cloud = { store: services.store, awsUrl: front.url, answerTo: front.answerTo, invoke };
    await makeCustomResource(resource, cloud);
  }
  const cdn = createCdn(services.s3, distribution(reader));
  const answer: typeof invoke = async (name, event) => {
    const outcome = await invoke(name, event);
    secrets.message(outcome);
    return outcome;
  };
  gateway.open({ routes: apiRoutes(reader), invoke: answer, now: clock.now, local, cdn });

  function run(): void {
    const feeder = { service: 'sqs', caller: 'event-source', environment: null };
    const polled: Sqs['handle'] = (operation, body) =>
      services.faults.around({ ...feeder, operation, body }, asked => sqs.handle(operation, asked));
    for (const source of sources) {
      cleanup.add(pollEventSource(source, { sqs: polled, queueUrl, invoke }).stop);
    }
    services.start(createRules(rateRules(reader), clock.now, services.targets.fireRule));
  }

  return {
    url: gateway.url,
    awsUrl: front.url,
    engine: dynamoDb.engine,
    sandbox,
    services,
    folder,
    run,
    settings: Object.fromEntries(resources.flatMap(({ environment }) => Object.entries(environment))),
  };
}

function openFolder(data: string | null, cleanup: Cleanup): string {
  if (data !== null) {
    mkdirSync(data, { recursive: true });
    return resolve(data);
  }
  const folder = mkdtempSync(join(tmpdir(), 'local-stack-'));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  cleanup.add(remove);
  // Also when the end is a hasty one.
  process.once('exit', remove);
  return folder;
}

function closedLater<T extends { close: () => Promise<void> }>(cleanup: Cleanup, part: T): T {
  cleanup.add(() => part.close());
  return part;
}

/** Like Promise.all, but fails only when all have ended: what started meanwhile can then be closed. */
async function settled<T extends readonly unknown[]>(promises: {
  [K in keyof T]: Promise<T[K]>;
}): Promise<{ [K in keyof T]: T[K] }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** Beside the API's port, so that links of published posts stay the same over restarts; any other where it is taken. */
async function openSandbox(apiPort: number, options: Omit<SandboxOptions, 'port'>): Promise<Sandbox> {
  if (apiPort === 0) return startSandbox({ ...options, port: 0 });
  return startSandbox({ ...options, port: apiPort + 1 }).catch(() => startSandbox({ ...options, port: 0 }));
}

/** What the functions get beside the template's variables. Only here: the deployed stack carries none of it. */
function localVariables(
  awsUrl: string,
  sandboxUrl: string,
  apiUrl: string,
  { allowPrivate }: LocalOptions,
): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: awsUrl,
    [ENV.mediaUrl]: apiUrl + CDN_PATH,
    SANDBOX_URL: sandboxUrl,
    ALLOW_LOOPBACK: '1',
    // No model and no key are needed here; whoever has some may name them.
    AI_PROVIDER: process.env['AI_PROVIDER'] ?? JSON.stringify({ provider: 'offline' }),
    ...(allowPrivate && { ALLOW_PRIVATE: '1' }),
  };
}
