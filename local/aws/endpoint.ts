import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { JsonObjectSchema, parseJson, type JsonObject } from '../../shared/model/json.ts';
import * as v from 'valibot';
import { listen, readBody, stop } from '../http.ts';
import { AwsError, errorResponse, type AwsResponse } from './response.ts';
import { converse, isConverse } from './bedrock.ts';
import type { Calls } from './calls.ts';
import { callDynamoDb } from './dynamodb-proxy.ts';
import { ConnectionDropped, type AwsFaults } from './faults.ts';
import { lambdaOperation, type LambdaApi } from './lambda.ts';
import type { Ecs } from './ecs.ts';
import type { Scheduler } from './scheduler.ts';
import type { S3 } from '../s3/s3.ts';
import type { Sqs } from './sqs.ts';

export interface AwsEndpoint {
  /** `AWS_ENDPOINT_URL` of the functions. */
  url: string;
  /** Connects the services; earlier calls are refused with 503. */
  open: (services: AwsServices) => void;
  /** Resolves with the next body PUT to `/_callback/<token>`, the ResponseURL of a custom resource. */
  nextCallback: (token: string) => Promise<JsonObject>;
  close: () => Promise<void>;
}

export interface AwsServices {
  dynamoDb: string;
  sqs: Sqs;
  lambda: LambdaApi;
  ssm: (operation: string, body: unknown) => AwsResponse;
  scheduler: Scheduler;
  ecs: Pick<Ecs, 'handle'>;
  calls: Calls;
  faults: AwsFaults;
  s3: Pick<S3, 'serves' | 'handle'>;
}

interface Call {
  operation: string;
  headers: Record<string, string>;
  body: JsonObject;
  /** Name of the calling function; `-` for other callers. */
  caller: string;
  /** Header `X-Amzn-Trace-Id`. */
  traceHeader: string | null;
  /** Header `X-Amz-Invocation-Type`. */
  invocationType: string;
  query: URLSearchParams;
}

interface Target {
  service: string;
  /** Set for services addressed by method and path. */
  operation?: string;
  run: (call: Call, services: AwsServices) => Promise<AwsResponse>;
}

/** Longer than the longest pause of a test; the real services also keep idle connections longer than the SDK does. */
const KEEP_ALIVE_MS = 600_000;

/** Services addressed by the header `X-Amz-Target`, by its prefix. */
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
    run: ({ operation, body, caller, traceHeader }, { sqs, calls }) => {
      calls.add('sqs', operation, caller);
      return sqs.handle(operation, body, traceHeader);
    },
  },
  AmazonSSM: {
    service: 'ssm',
    run: ({ operation, body, caller }, { ssm, calls }) => {
      calls.add('ssm', operation, caller);
      return Promise.resolve(ssm(operation, body));
    },
  },
  AmazonEC2ContainerServiceV20141113: {
    service: 'ecs',
    run: ({ operation, body, caller }, { ecs, calls }) => {
      calls.add('ecs', operation, caller);
      return Promise.resolve(ecs.handle(operation, body));
    },
  },
};

/** Starts one endpoint for every AWS service that the stack calls. Unknown operations are refused. */
export async function startAwsEndpoint(): Promise<AwsEndpoint> {
  let services: AwsServices | null = null;
  const callbacks = new Map<string, (body: JsonObject) => void>();

  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 }, (request, response) => {
    if (services?.s3.serves(request.url ?? '/') === true) {
      services.s3.handle(request, response).catch(() => response.destroy());
      return;
    }
    handle(request)
      .catch(toErrorResponse)
      .then(result => (result ? send(response, result) : response.destroy()))
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });

  async function handle(request: IncomingMessage): Promise<AwsResponse> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const body = await readJson(request);
    const token = /^\/_callback\/(.+)$/.exec(url.pathname)?.[1];
    if (token !== undefined) return receiveCallback(token, body);
    if (!services) throw new AwsError('ServiceUnavailable', 'The local stack is still starting', 503);
    const caller = callerOf(request);
    const { method = '' } = request;
    const target = String(request.headers['x-amz-target'] ?? '');
    const [service = '', operation = ''] = target.split('.');
    const found =
      TARGETS[service] ?? bedrockTarget(url) ?? lambdaTarget(method, url) ?? schedulerTarget(method, url);
    if (found) {
      const opened = services;
      const call = { operation: operation || found.operation || '', caller };
      const environment = headerOf(request, 'x-local-environment');
      const details = {
        headers: forwardedHeaders(request),
        traceHeader: headerOf(request, 'x-amzn-trace-id'),
        invocationType: headerOf(request, 'x-amz-invocation-type') ?? '',
        query: url.searchParams,
      };
      return services.faults.around({ ...call, service: found.service, environment, body }, altered =>
        found.run({ ...call, ...details, body: altered }, opened),
      );
    }
    throw new AwsError(
      'UnknownOperationException',
      `The local stack does not emulate ${target || url.pathname}`,
    );
  }

  function receiveCallback(token: string, body: JsonObject): AwsResponse {
    callbacks.get(token)?.(body);
    return { status: callbacks.delete(token) ? 200 : 404, body: '' };
  }

  return {
    url: await listen(server, 0),
    open: opened => void (services = opened),
    nextCallback: token => new Promise(resolve => callbacks.set(token, resolve)),
    close: () => stop(server),
  };
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const header = request.headers[name];
  return typeof header === 'string' ? header : null;
}

/** Name of the calling function; environment ids are `<function>:<number>`. */
export function callerOf(request: IncomingMessage): string {
  return headerOf(request, 'x-local-environment')?.replace(/:\d+$/, '') ?? '-';
}

/** Scheduler is addressed by method and path. */
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

/** Lambda is addressed by method and path. */
function lambdaTarget(method: string, url: URL): Target | null {
  const found = lambdaOperation(method, url.pathname);
  return (
    found && {
      service: 'lambda',
      operation: found.name,
      run: (call, { lambda, calls }) => {
        calls.add('lambda', found.name, call.caller);
        return Promise.resolve(found.run(call, lambda));
      },
    }
  );
}

/** Bedrock is addressed by path. */
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

const OPERATION_PREFIXES: Readonly<Record<string, string>> = {
  POST: 'Create',
  PUT: 'Update',
  GET: 'Get',
  DELETE: 'Delete',
};

function schedulerOperation(method: string, path: string): string {
  if (path === '/schedules') return 'ListSchedules';
  return `${OPERATION_PREFIXES[method] ?? method}Schedule${path.startsWith('/schedule-groups') ? 'Group' : ''}`;
}

/** Headers that the DynamoDB emulator needs. */
function forwardedHeaders({ headers }: IncomingMessage): Record<string, string> {
  const wanted = ['x-amz-target', 'content-type', 'authorization', 'x-amz-date'];
  return Object.fromEntries(
    wanted.flatMap(name => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  );
}

async function readJson(request: IncomingMessage): Promise<JsonObject> {
  const text = (await readBody(request)).toString();
  if (text === '') return {};
  const parsed = v.safeParse(JsonObjectSchema, parseJson(text));
  if (!parsed.success) throw new AwsError('SerializationException', 'The request body must be a JSON object');
  return parsed.output;
}

/** Null if the connection must be dropped. */
function toErrorResponse(error: unknown): AwsResponse | null {
  if (error instanceof ConnectionDropped) return null;
  if (error instanceof AwsError) return errorResponse(error);
  console.error('Unexpected error in the local AWS endpoint:', error);
  return errorResponse(new AwsError('InternalServerException', 'Unexpected error in the local stack', 500));
}

/**
 * Sets the date of the stack's clock in place of the real one. Clients correct their clock skew by this header, and a
 * date that differs from theirs makes them re-sign and retry refused calls.
 */
function send(response: ServerResponse, { status, headers, body }: AwsResponse): void {
  const own = { 'content-type': 'application/x-amz-json-1.0', date: new Date().toUTCString() };
  response.writeHead(status, { ...own, ...headers }).end(body);
}
