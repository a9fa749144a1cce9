import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createCustomResource } from './aws/custom-resources.ts';
import { startDynamoDb } from './aws/dynamodb.ts';
import type { Sqs } from './aws/sqs.ts';
import { startAwsEndpoint } from './aws/endpoint.ts';
import { createTables } from './aws/tables.ts';
import { ENV } from '../shared/aws/env.ts';
import type { Cleanup } from './cleanup.ts';
import { startGateway } from './gateway/gateway.ts';
import { concurrencyOf, pollEventSource } from './lambda/event-sources.ts';
import { createAsyncInvocations, type AsyncInvocations } from './lambda/async-invocations.ts';
import { createFunctions, type LocalFunctions } from './lambda/functions.ts';
import { createMappings, type Mappings } from './lambda/mappings.ts';
import { createRules } from './lambda/rules.ts';
import { createWorkers } from './live/workers.ts';
import type { LocalOptions } from './options.ts';
import { demoWorkspace } from './demo.ts';
import { SECOND } from '../shared/time/instant.ts';
import { createOverview, type Overview } from './overview.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from './sandbox/index.ts';
import { createWebhookSecrets } from './webhook-secrets.ts';
import { openServices, type LocalServices } from './services.ts';
import { CDN_PATH, createCdn } from './s3/cdn.ts';
import { synthesize } from './synthesize.ts';
import { ACCOUNT } from './template/names.ts';
import { asyncSettings, eventSourceMappings, functions as functionsOf } from './template/lambda.ts';
import { createReader } from './template/reader.ts';
import {
  apiRoutes,
  buckets,
  customResources,
  distribution,
  queues,
  rateRules,
  scheduleGroups,
  tables,
} from './template/resources.ts';
import { readTemplate } from './template/template.ts';

export interface LocalStack {
  /** Origin of the API. */
  url: string;
  /** Endpoint of all AWS calls. */
  awsUrl: string;
  /** Name of the DynamoDB emulator. */
  engine: string;
  sandbox: Sandbox;
  services: LocalServices;
  /** Folder of the logs and the state. */
  folder: string;
  /** Environment variables of all functions: the names of the stack's resources. */
  settings: Readonly<Record<string, string>>;
  /** Starts event sources, schedules and rules. The API is available before. */
  run: () => void;
}

/** Starts the template's resources on this machine. Adds what it starts to `cleanup`, also when the start fails. */
export async function startStack(options: LocalOptions, cleanup: Cleanup): Promise<LocalStack> {
  const keep = options.data !== null;
  const folder = openFolder(options.data, cleanup);
  // First, to report a port in use without delay.
  const gateway = closeLater(cleanup, await startGateway(options.port));
  const services = openServices(
    {
      ...options,
      folder,
      keep,
      invoke: (...call) => functions.invoke(...call),
      kill: id => functions.kill(id),
      mappings: () => mappings.list(),
      working: () => ({ ...invocations.working(), ...functions.working() }),
      whenIdle: act => functions.whenIdle(act),
      endEnvironments: () => functions.endEnvironments(),
      tasks: () => ecs.running(),
      killTask: id => ecs.kill(id),
    },
    cleanup,
  );
  const { sqs, clock, scheduler, local } = services;
  const secrets = createWebhookSecrets(services.store);
  let readOverview = (): Promise<Overview | null> => Promise.resolve(null);

  const [awsEndpoint, sandbox, dynamoDb, synthesized] = await allSettled([
    startAwsEndpoint().then(started => closeLater(cleanup, started)),
    openSandbox(options.port, {
      now: clock.now,
      local,
      secretsOf: secrets.secretsFor,
      overview: () => readOverview(),
      folder: join(folder, 'sandbox-media'),
      store: services.store,
      kill: async id => {
        await functions.kill(id);
      },
    }).then(started => closeLater(cleanup, started)),
    startDynamoDb({ dataDir: keep ? join(folder, 'dynamodb') : null }).then(started =>
      closeLater(cleanup, started),
    ),
    synthesize(() => {
      if (!options.quiet) console.log('Synthesizing the stack …');
    }),
  ]);
  const template = readTemplate(synthesized.folder);
  const reader = createReader(template, { aws: awsEndpoint.url, api: gateway.url });

  await createTables(dynamoDb.endpoint, tables(reader));
  const queueUrl = (name: string) => `${awsEndpoint.url}/${ACCOUNT}/${name}`;
  for (const queue of queues(reader)) sqs.createQueue(queue, queueUrl(queue.name));
  for (const bucket of buckets(reader)) services.s3.createBucket(bucket);
  for (const group of scheduleGroups(reader)) scheduler.createGroup(group);
  const environment = localVariables(awsEndpoint.url, sandbox.url, gateway.url, options);
  const ecs = closeLater(cleanup, createWorkers(reader, template, services, environment));

  const mapped = eventSourceMappings(reader);
  const resources = functionsOf(reader, template);
  const functions: LocalFunctions = createFunctions(
    resources,
    {
      environment,
      localHosts: [awsEndpoint.url, sandbox.url].map(url => new URL(url).host),
      clock: clock.memory,
      log: services.logs.write,
    },
    {
      concurrency: name =>
        mapped
          .filter(({ source }) => source.function === name)
          .reduce((sum, { source }) => sum + concurrencyOf(source), 0),
      idleMs: options.idleS * SECOND,
    },
  );
  cleanup.add(functions.close);
  const { invoke } = functions;
  const host = { store: services.store, now: clock.now };
  const invocations: AsyncInvocations = createAsyncInvocations(asyncSettings(reader), {
    ...host,
    invoke,
    send: (queueArn, body) => sqs.send(queueArn, body),
  });
  const pollFaults: Sqs['handle'] = (operation, body) =>
    services.faults.around(
      { service: 'sqs', caller: 'event-source', environment: null, operation, body },
      altered => sqs.handle(operation, altered),
    );
  const mappings: Mappings = createMappings(mapped, {
    ...host,
    delayMs: options.mappingDelayS * SECOND,
    poll: source => pollEventSource(source, { sqs: pollFaults, queueUrl, invoke }),
  });
  cleanup.add(mappings.stop);
  const names = new Set(resources.map(({ name }) => name));
  const lambda = { invocations, mappings, exists: (name: string) => names.has(name) };
  awsEndpoint.open({ ...services, lambda, ecs, dynamoDb: dynamoDb.endpoint });

  for (const resource of customResources(reader)) {
    const { url: awsUrl, nextCallback } = awsEndpoint;
    await createCustomResource(resource, { store: services.store, awsUrl, nextCallback, invoke });
  }
  const cdn = createCdn(services.s3, distribution(reader));
  const invokeFromApi: typeof invoke = async (name, event) => {
    const result = await invoke(name, event);
    secrets.observe(result);
    return result;
  };
  gateway.open({ routes: apiRoutes(reader), invoke: invokeFromApi, now: clock.now, local, cdn });

  function run(): void {
    mappings.start();
    const rules = createRules(rateRules(reader), clock.now, services.targets.fireRule);
    services.start([rules, mappings, invocations]);
  }

  const settings = Object.fromEntries(resources.flatMap(({ environment }) => Object.entries(environment)));
  const overview = createOverview(dynamoDb.endpoint, settings[ENV.table] ?? '');
  cleanup.add(overview.close);
  readOverview = async () => {
    const workspace = demoWorkspace(services.store);
    return workspace === null ? null : overview.read(workspace);
  };

  return {
    url: gateway.url,
    awsUrl: awsEndpoint.url,
    engine: dynamoDb.engine,
    sandbox,
    services,
    folder,
    run,
    settings,
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
  // Also when the process exits without running the cleanup.
  process.once('exit', remove);
  return folder;
}

function closeLater<T extends { close: () => Promise<void> }>(cleanup: Cleanup, part: T): T {
  cleanup.add(() => part.close());
  return part;
}

/** Like Promise.all, but rejects only when all have settled, so that whatever started can be closed. */
async function allSettled<T extends readonly unknown[]>(promises: {
  [K in keyof T]: Promise<T[K]>;
}): Promise<{ [K in keyof T]: T[K] }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** On the ports after the API's, so that links to the sandbox stay the same across restarts; on any free port if it is in use. */
async function openSandbox(apiPort: number, options: Omit<SandboxOptions, 'port'>): Promise<Sandbox> {
  if (apiPort === 0) return startSandbox({ ...options, port: 0 });
  const ports = { ingestPort: apiPort + 2 };
  return startSandbox({ ...options, ...ports, port: apiPort + 1 }).catch(() =>
    startSandbox({ ...options, ...ports, port: 0 }),
  );
}

/** Environment variables of functions and tasks in addition to the template's. The deployed stack has none of them. */
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
    // Needs no model and no key by default.
    AI_PROVIDER: process.env['AI_PROVIDER'] ?? JSON.stringify({ provider: 'offline' }),
    ...(allowPrivate && { ALLOW_PRIVATE: '1' }),
  };
}
