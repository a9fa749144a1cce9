import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { JsonObjectSchema, parseJson, type JsonObject } from '../../shared/model/json.ts';
import * as v from 'valibot';
import { listen, readBody, stop } from '../http.ts';
import { AwsError, refusal, type AwsAnswer } from './answer.ts';
import { converse, isConverse } from './bedrock.ts';
import type { Calls } from './calls.ts';
import { callDynamoDb } from './dynamodb-proxy.ts';
import { Cut, type AwsFaults } from './faults.ts';
import type { Scheduler } from './scheduler.ts';
import type { S3 } from '../s3/s3.ts';
import type { Sqs } from './sqs.ts';

export interface AwsFront {
  /** What `AWS_ENDPOINT_URL` of the functions is. */
  url: string;
  /** The services behind it; calls before that are refused. */
  open: (services: AwsServices) => void;
  /** The next body that is PUT to `/_answer/<token>`: CloudFormation's way to hear from a custom resource. */
  answerTo: (token: string) => Promise<JsonObject>;
  close: () => Promise<void>;
}

export interface AwsServices {
  dynamoDb: string;
  sqs: Sqs;
  ssm: (operation: string, body: unknown) => AwsAnswer;
  scheduler: Scheduler;
  calls: Calls;
  faults: AwsFaults;
  s3: Pick<S3, 'serves' | 'handle'>;
}

interface Call {
  operation: string;
  headers: Record<string, string>;
  body: JsonObject;
  /** Name of the calling function, `-` for others. */
  caller: string;
}

interface Target {
  service: string;
  /** Of services that are called by method and path. */
  operation?: string;
  run: (call: Call, services: AwsServices) => Promise<AwsAnswer>;
}

/** Idle connections outlive the longest freeze of a test; the real services close them later than the SDK does, too. */
const KEEP_ALIVE_MS = 600_000;

/** Services that name their operation in `X-Amz-Target`, by the prefix there. */
const TARGETS: Readonly<Record<string, Target>> = {
  DynamoDB_20120810: {
    service: 'dynamodb',
    run: async ({ operation, headers, body, caller }, { dynamoDb, calls }) => {
      const { answer, units } = await callDynamoDb(dynamoDb, operation, headers, body);
      calls.add('dynamodb', operation, caller, units);
      return answer;
    },
  },
  AmazonSQS: {
    service: 'sqs',
    run: ({ operation, body, caller }, { sqs, calls }) => {
      calls.add('sqs', operation, caller);
      return sqs.handle(operation, body);
    },
  },
  AmazonSSM: {
    service: 'ssm',
    run: ({ operation, body, caller }, { ssm, calls }) => {
      calls.add('ssm', operation, caller);
      return Promise.resolve(ssm(operation, body));
    },
  },
};

/** One endpoint for every AWS service that the stack calls. Refuses what it does not know. */
export async function startAwsFront(): Promise<AwsFront> {
  let services: AwsServices | null = null;
  const answers = new Map<string, (body: JsonObject) => void>();

  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 }, (request, response) => {
    if (services?.s3.serves(request.url ?? '/') === true) {
      services.s3.handle(request, response).catch(() => response.destroy());
      return;
    }
    handle(request)
      .catch(asAnswer)
      .then(answer => (answer ? send(response, answer) : response.destroy()))
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });

  async function handle(request: IncomingMessage): Promise<AwsAnswer> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const body = await readJson(request);
    const token = /^\/_answer\/(.+)$/.exec(url.pathname)?.[1];
    if (token !== undefined) return take(token, body);
    if (!services) throw new AwsError('ServiceUnavailable', 'The local stack is still starting', 503);
    const caller = callerOf(request);
    const target = String(request.headers['x-amz-target'] ?? '');
    const [service = '', operation = ''] = target.split('.');
    const found = TARGETS[service] ?? bedrockTarget(url) ?? schedulerTarget(request.method ?? '', url);
    if (found) {
      const opened = services;
      const call = { operation: operation || found.operation || '', caller };
      const environment = environmentOf(request);
      return services.faults.around({ ...call, service: found.service, environment, body }, asked =>
        found.run({ ...call, headers: passedOn(request), body: asked }, opened),
      );
    }
    throw new AwsError(
      'UnknownOperationException',
      `The local stack does not emulate ${target || url.pathname}`,
    );
  }

  function take(token: string, body: JsonObject): AwsAnswer {
    answers.get(token)?.(body);
    return { status: answers.delete(token) ? 200 : 404, body: '' };
  }

  return {
    url: await listen(server, 0),
    open: opened => void (services = opened),
    answerTo: token => new Promise(resolve => answers.set(token, resolve)),
    close: () => stop(server),
  };
}

function environmentOf(request: IncomingMessage): string | null {
  const environment = request.headers['x-local-environment'];
  return typeof environment === 'string' ? environment : null;
}

/** Environments are called after their function. */
export function callerOf(request: IncomingMessage): string {
  return environmentOf(request)?.replace(/:\d+$/, '') ?? '-';
}

/** Scheduler is called by method and path. */
function schedulerTarget(method: string, url: URL): Target | null {
  if (!/^\/schedule(s|-groups)(\/|$)/.test(url.pathname)) return null;
  return {
    service: 'scheduler',
    operation: schedulerOperation(method, url.pathname),
    run: ({ operation, body, caller }, { scheduler, calls }) => {
      calls.add('scheduler', operation, caller);
      return Promise.resolve(scheduler.handle(method, url, body));
    },
  };
}

/** Models are called by their path. */
function bedrockTarget(url: URL): Target | null {
  if (!isConverse(url.pathname)) return null;
  return {
    service: 'bedrock',
    operation: 'Converse',
    run: ({ operation, body, caller }, { calls }) => {
      calls.add('bedrock', operation, caller);
      return Promise.resolve(converse(body));
    },
  };
}

const SCHEDULER_VERBS: Readonly<Record<string, string>> = {
  POST: 'Create',
  PUT: 'Update',
  GET: 'Get',
  DELETE: 'Delete',
};

function schedulerOperation(method: string, path: string): string {
  if (path === '/schedules') return 'ListSchedules';
  return `${SCHEDULER_VERBS[method] ?? method}Schedule${path.startsWith('/schedule-groups') ? 'Group' : ''}`;
}

/** What the DynamoDB emulator needs to see of a request. */
function passedOn({ headers }: IncomingMessage): Record<string, string> {
  const wanted = ['x-amz-target', 'content-type', 'authorization', 'x-amz-date'];
  return Object.fromEntries(
    wanted.flatMap(name => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  );
}

async function readJson(request: IncomingMessage): Promise<JsonObject> {
  const text = (await readBody(request)).toString();
  if (text === '') return {};
  const parsed = v.safeParse(JsonObjectSchema, parseJson(text));
  if (!parsed.success) throw new AwsError('SerializationException', 'The body is no JSON object');
  return parsed.output;
}

/** Null where the connection is to be cut. */
function asAnswer(error: unknown): AwsAnswer | null {
  if (error instanceof Cut) return null;
  if (error instanceof AwsError) return refusal(error);
  console.error('The local AWS broke:', error);
  return refusal(new AwsError('InternalServerException', 'The local stack broke', 500));
}

/**
 * The date is the stack's, not the real one that Node would set: clients take a server with another time for their own
 * clock's fault, sign by it and try refused calls again.
 */
function send(response: ServerResponse, { status, headers, body }: AwsAnswer): void {
  const own = { 'content-type': 'application/x-amz-json-1.0', date: new Date().toUTCString() };
  response.writeHead(status, { ...own, ...headers }).end(body);
}
