import type { PlatformId } from '../../shared/model/platform.ts';
import type { Json } from '../support/stack.ts';
import { errorBody, type ErrorResponse } from './error-bodies.ts';

/** A fault at one request to a platform. `body` is that of `POST /_control/faults` at the stack's time `now`. */
export interface InjectedFault {
  name: string;
  body: (now: number, platform: PlatformId) => Json;
  /** The platform may have carried out the request, although no response says so. */
  ambiguous?: boolean;
  /** The platform rejects the request for good: the destination may fail. */
  rejected?: boolean;
  /** Lasts as long as a client's timeout. */
  slow?: boolean;
}

const HTML = '<html><head><title>Bad gateway</title></head><body>nginx</body></html>';
const AS_HTML = { 'content-type': 'text/html' };
const RESET_S = 90;

/** A response with an error of the platform; `taken`: after it carried out the request. */
function answered(platform: PlatformId, error: ErrorResponse, more: { headers?: Json; taken?: true } = {}) {
  return { respond: { status: error.status, body: errorBody(platform, error), ...more } };
}

const LIMITED = { status: 429, message: 'Too Many Requests' };
const INTERNAL = { status: 500, message: 'Internal Server Error' };
const BAD_GATEWAY = { status: 502, message: 'Bad Gateway' };
const REJECTED = { status: 400, message: 'Bad Request: rejected by a fault' };

export const INJECTED_FAULTS: readonly InjectedFault[] = [
  { name: 'environment killed before', body: () => ({ kill: 'before' }) },
  { name: 'environment killed after', body: () => ({ kill: 'after' }), ambiguous: true },
  { name: 'connection cut before', body: () => ({ drop: 'before' }) },
  { name: 'connection cut after', body: () => ({ drop: 'after' }), ambiguous: true },
  {
    name: '429 with reset',
    body: (now, platform) =>
      answered(
        platform,
        { ...LIMITED, retry_after: RESET_S },
        {
          headers: {
            'retry-after': RESET_S,
            'x-rate-limit-reset': Math.ceil(now / 1000) + RESET_S,
            'x-rate-limit-remaining': 0,
          },
        },
      ),
  },
  { name: '429 without reset', body: (_, platform) => answered(platform, LIMITED) },
  { name: '500', body: (_, platform) => answered(platform, INTERNAL) },
  {
    name: '500 after acceptance',
    body: (_, platform) => answered(platform, INTERNAL, { taken: true }),
    ambiguous: true,
  },
  { name: '502 with HTML', body: () => ({ respond: { status: 502, headers: AS_HTML, body: HTML } }) },
  {
    name: '502 with HTML after acceptance',
    body: () => ({ respond: { status: 502, headers: AS_HTML, body: HTML, taken: true } }),
    ambiguous: true,
  },
  { name: '502 with JSON', body: (_, platform) => answered(platform, BAD_GATEWAY) },
  {
    name: '502 with JSON after acceptance',
    body: (_, platform) => answered(platform, BAD_GATEWAY, { taken: true }),
    ambiguous: true,
  },
  { name: '200 with HTML', body: () => ({ respond: { status: 200, headers: AS_HTML, body: HTML } }) },
  {
    name: '200 with HTML after acceptance',
    body: () => ({ respond: { status: 200, headers: AS_HTML, body: HTML, taken: true } }),
    ambiguous: true,
  },
  { name: '400', body: (_, platform) => answered(platform, REJECTED), rejected: true },
  { name: 'timeout before', body: () => ({ drop: 'before', delay_ms: 300_000 }), slow: true },
  { name: 'timeout after', body: () => ({ drop: 'after', delay_ms: 300_000 }), slow: true, ambiguous: true },
];

/** A fault in AWS. `body` is that of `POST /_local/faults`; `times` is the range of how often it occurs. */
export interface Scenario {
  name: string;
  body: Json;
  times: readonly [number, number];
}

const WORKERS = ['publisher-*', 'dispatcher', 'webhook-dispatcher', 'sweeper', 'posts'] as const;
/** May exceed the retries of an SDK client. */
const REPEATED = [1, 12] as const;
const ONCE = [1, 2] as const;

const DYNAMODB: readonly Scenario[] = WORKERS.flatMap((name): Scenario[] => [
  ...['ProvisionedThroughputExceededException', 'ThrottlingException', 'InternalServerError'].map(error => ({
    name: `DynamoDB ${error}`,
    body: { service: 'dynamodb', function: name, error },
    times: REPEATED,
  })),
  ...(['before', 'after'] as const).flatMap(when => [
    {
      name: `DynamoDB connection cut ${when}`,
      body: { service: 'dynamodb', function: name, drop: when },
      times: ONCE,
    },
    {
      name: `environment killed ${when} a DynamoDB call`,
      body: { service: 'dynamodb', function: name, kill: when },
      times: ONCE,
    },
  ]),
  {
    name: 'DynamoDB TransactionConflictException',
    body: {
      service: 'dynamodb',
      function: name,
      operation: 'UpdateItem',
      error: 'TransactionConflictException',
    },
    times: ONCE,
  },
]);

const CONDITIONS: readonly Scenario[] = [
  {
    name: 'DynamoDB TransactionConflict',
    body: { service: 'dynamodb', operation: 'TransactWriteItems', error: 'TransactionConflict' },
    times: REPEATED,
  },
  {
    name: 'DynamoDB condition failed',
    body: {
      service: 'dynamodb',
      function: 'publisher-*',
      operation: 'UpdateItem',
      error: 'ConditionalCheckFailedException',
    },
    times: ONCE,
  },
];

const SQS: readonly Scenario[] = WORKERS.flatMap((name): Scenario[] => {
  const send = { service: 'sqs', function: name, operation: 'SendMessage' };
  return [
    ...['RequestThrottled', 'InternalError', 'ServiceUnavailable'].map(error => ({
      name: `SQS ${error}`,
      body: { ...send, error },
      times: REPEATED,
    })),
    ...(['before', 'after'] as const).flatMap(when => [
      { name: `SQS connection cut ${when}`, body: { ...send, drop: when }, times: ONCE },
      { name: `environment killed ${when} an SQS call`, body: { ...send, kill: when }, times: ONCE },
    ]),
    { name: 'message sent twice', body: { ...send, repeat: 2 }, times: [3, 8] },
    { name: 'message reordered', body: { ...send, late_s: 40 }, times: [3, 8] },
    { name: 'message delayed by ten minutes', body: { ...send, late_s: 600 }, times: [2, 4] },
  ];
});

const QUEUES: readonly Scenario[] = [
  ...['dispatch', 'publish-*'].map((queue): Scenario => ({
    name: 'message lost',
    body: { service: 'sqs', queue, operation: 'SendMessage', lose: true },
    times: [3, 8],
  })),
  {
    name: 'message redelivered after its visibility timeout',
    body: { service: 'sqs', function: 'event-source', operation: 'DeleteMessage', lose: true },
    times: [4, 10],
  },
  {
    name: 'SQS ReceiveMessage fails',
    body: { service: 'sqs', function: 'event-source', operation: 'ReceiveMessage', error: 'InternalError' },
    times: [3, 8],
  },
];

const SCHEDULES: readonly Scenario[] = [
  ...[
    'ThrottlingException',
    'InternalServerException',
    'ServiceQuotaExceededException',
    'ConflictException',
  ].map((error): Scenario => ({
    name: `Scheduler ${error}`,
    body: { service: 'scheduler', operation: 'CreateSchedule', error },
    times: [3, 12],
  })),
  {
    name: 'Scheduler connection cut after',
    body: { service: 'scheduler', operation: 'CreateSchedule', drop: 'after' },
    times: ONCE,
  },
  {
    name: 'schedule never fires',
    body: { service: 'scheduler', operation: 'Invoke', lose: true },
    times: [2, 6],
  },
  {
    name: 'schedule fires twice',
    body: { service: 'scheduler', operation: 'Invoke', repeat: 2 },
    times: [2, 6],
  },
  {
    name: 'schedule fires late',
    body: { service: 'scheduler', operation: 'Invoke', late_s: 240 },
    times: [2, 6],
  },
];

const SECRETS: readonly Scenario[] = [
  {
    name: 'SSM ThrottlingException',
    body: { service: 'ssm', function: 'publisher-*', error: 'ThrottlingException' },
    times: REPEATED,
  },
];

export const SCENARIOS: readonly Scenario[] = [
  ...DYNAMODB,
  ...CONDITIONS,
  ...SQS,
  ...QUEUES,
  ...SCHEDULES,
  ...SECRETS,
];

/** Names of the scenarios as the report shows them. */
export const SCENARIO_NAMES: readonly string[] = [...new Set(SCENARIOS.map(({ name }) => `AWS: ${name}`))];
