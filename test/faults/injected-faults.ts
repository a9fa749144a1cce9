import type { Json } from '../support/stack.ts';

/** What may happen to one request to a platform. `fault`: for `/_control/faults`, at the stack's time `now`. */
export interface InjectedFault {
  name: string;
  fault: (now: number) => Json;
  /** The platform may have acted although no answer says so. */
  doubtful?: boolean;
  /** The platform says no, for good: the destination may fail. */
  final?: boolean;
  /** Takes as long as a client waits. */
  slow?: boolean;
}

const HTML = '<html><head><title>Bad gateway</title></head><body>nginx</body></html>';
const AS_HTML = { 'content-type': 'text/html' };
const RESET_S = 90;

/** In the words of every platform at once: each reads its own. */
const limited = (headers: Json, parameters: Json) => ({
  respond: {
    status: 429,
    headers,
    body: {
      ok: false,
      error_code: 429,
      description: 'Too Many Requests',
      parameters,
      error: 'RateLimitExceeded',
      message: 'Rate limit exceeded',
      title: 'Too Many Requests',
      status: 429,
    },
  },
});

const REFUSED = {
  ok: false,
  error_code: 400,
  description: 'Bad Request: not like this',
  error: 'InvalidRequest',
  message: 'Not like this',
  title: 'Invalid Request',
  detail: 'Not like this',
  status: 400,
};

export const INJECTED_FAULTS: readonly InjectedFault[] = [
  { name: 'environment killed before', fault: () => ({ kill: 'before' }) },
  { name: 'environment killed after', fault: () => ({ kill: 'after' }), doubtful: true },
  { name: 'connection cut before', fault: () => ({ drop: 'before' }) },
  { name: 'connection cut after', fault: () => ({ drop: 'after' }), doubtful: true },
  {
    name: '429 with reset',
    fault: now =>
      limited(
        {
          'retry-after': RESET_S,
          'x-rate-limit-reset': Math.ceil(now / 1000) + RESET_S,
          'x-rate-limit-remaining': 0,
        },
        { retry_after: RESET_S },
      ),
  },
  { name: '429 without reset', fault: () => limited({}, {}) },
  { name: '500', fault: () => ({ respond: { status: 500, body: { title: 'Internal', status: 500 } } }) },
  {
    name: '500 after acceptance',
    fault: () => ({ respond: { status: 500, body: { title: 'Internal', status: 500 }, taken: true } }),
    doubtful: true,
  },
  { name: '502 with HTML', fault: () => ({ respond: { status: 502, headers: AS_HTML, body: HTML } }) },
  {
    name: '502 with HTML after acceptance',
    fault: () => ({ respond: { status: 502, headers: AS_HTML, body: HTML, taken: true } }),
    doubtful: true,
  },
  { name: '200 with HTML', fault: () => ({ respond: { status: 200, headers: AS_HTML, body: HTML } }) },
  {
    name: '200 with HTML after acceptance',
    fault: () => ({ respond: { status: 200, headers: AS_HTML, body: HTML, taken: true } }),
    doubtful: true,
  },
  { name: '400', fault: () => ({ respond: { status: 400, body: REFUSED } }), final: true },
  { name: 'hangs, not taken', fault: () => ({ drop: 'before', delay_ms: 300_000 }), slow: true },
  { name: 'hangs, taken', fault: () => ({ drop: 'after', delay_ms: 300_000 }), slow: true, doubtful: true },
];

/** What may happen in AWS. `fault`: for `/_local/faults`; how often it happens is drawn from `times`. */
export interface Scenario {
  name: string;
  fault: Json;
  times: readonly [number, number];
}

const WORKERS = ['publisher-*', 'dispatcher', 'webhook-dispatcher', 'sweeper', 'posts'] as const;
/** More often than a client tries by itself. */
const LASTING = [1, 12] as const;
const ONCE = [1, 2] as const;

const of = (names: readonly string[], storm: (name: string) => Scenario[]) => names.flatMap(storm);

const DYNAMODB: readonly Scenario[] = of(WORKERS, name => [
  ...['ProvisionedThroughputExceededException', 'ThrottlingException', 'InternalServerError'].map(error => ({
    name: `DynamoDB ${error}`,
    fault: { service: 'dynamodb', function: name, error },
    times: LASTING,
  })),
  ...(['before', 'after'] as const).flatMap(when => [
    {
      name: `DynamoDB connection cut ${when}`,
      fault: { service: 'dynamodb', function: name, drop: when },
      times: ONCE,
    },
    {
      name: `environment killed ${when} a DynamoDB call`,
      fault: { service: 'dynamodb', function: name, kill: when },
      times: ONCE,
    },
  ]),
  {
    name: 'DynamoDB TransactionConflictException',
    fault: {
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
    fault: { service: 'dynamodb', operation: 'TransactWriteItems', error: 'TransactionConflict' },
    times: LASTING,
  },
  {
    name: 'DynamoDB condition failed',
    fault: {
      service: 'dynamodb',
      function: 'publisher-*',
      operation: 'UpdateItem',
      error: 'ConditionalCheckFailedException',
    },
    times: ONCE,
  },
];

const SQS: readonly Scenario[] = of(WORKERS, name => {
  const send = { service: 'sqs', function: name, operation: 'SendMessage' };
  return [
    ...['RequestThrottled', 'InternalError', 'ServiceUnavailable'].map(error => ({
      name: `SQS ${error}`,
      fault: { ...send, error },
      times: LASTING,
    })),
    ...(['before', 'after'] as const).flatMap(when => [
      { name: `SQS connection cut ${when}`, fault: { ...send, drop: when }, times: ONCE },
      { name: `environment killed ${when} an SQS call`, fault: { ...send, kill: when }, times: ONCE },
    ]),
    { name: 'message sent twice', fault: { ...send, repeat: 2 }, times: [3, 8] },
    { name: 'message out of order', fault: { ...send, late_s: 40 }, times: [3, 8] },
    { name: 'message far too late', fault: { ...send, late_s: 600 }, times: [2, 4] },
  ];
});

const QUEUES: readonly Scenario[] = [
  ...['dispatch', 'publish-*'].map((queue): Scenario => ({
    name: 'message lost',
    fault: { service: 'sqs', queue, operation: 'SendMessage', lose: true },
    times: [3, 8],
  })),
  {
    name: 'message back after its visibility time-out',
    fault: { service: 'sqs', function: 'event-source', operation: 'DeleteMessage', lose: true },
    times: [4, 10],
  },
  {
    name: 'SQS refuses to give messages',
    fault: { service: 'sqs', function: 'event-source', operation: 'ReceiveMessage', error: 'InternalError' },
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
    fault: { service: 'scheduler', operation: 'CreateSchedule', error },
    times: [3, 12],
  })),
  {
    name: 'Scheduler connection cut after',
    fault: { service: 'scheduler', operation: 'CreateSchedule', drop: 'after' },
    times: ONCE,
  },
  {
    name: 'schedule never fires',
    fault: { service: 'scheduler', operation: 'Invoke', lose: true },
    times: [2, 6],
  },
  {
    name: 'schedule fires twice',
    fault: { service: 'scheduler', operation: 'Invoke', repeat: 2 },
    times: [2, 6],
  },
  {
    name: 'schedule fires late',
    fault: { service: 'scheduler', operation: 'Invoke', late_s: 240 },
    times: [2, 6],
  },
];

const SECRETS: readonly Scenario[] = [
  {
    name: 'SSM refuses',
    fault: { service: 'ssm', function: 'publisher-*', error: 'ThrottlingException' },
    times: LASTING,
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

/** As the table has them. */
export const SCENARIO_NAMES: readonly string[] = [...new Set(SCENARIOS.map(({ name }) => `AWS: ${name}`))];
