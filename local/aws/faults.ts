import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import type { JsonObject } from '../../shared/model/json.ts';
import {
  COMMON_FIELDS,
  countedFaults,
  WhenSchema,
  type CountedFaults,
  type Listed,
} from '../counted-faults.ts';
import { AwsError, ok, type AwsResponse } from './response.ts';
import { createRandom } from './random.ts';

const whole = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));

const AwsFaultSchema = v.pipe(
  v.strictObject({
    service: v.picklist(['dynamodb', 'sqs', 'lambda', 'scheduler', 'ssm', 'ecs']),
    /** `UpdateItem`, `SendMessage`, …; `Invoke` for a schedule that fires. */
    operation: v.optional(v.string()),
    /** Name of the calling function or the end of it (`publisher-x`); `event-source` for the event source mappings. */
    function: v.optional(v.string()),
    /** Name of the queue or the end of it. */
    queue: v.optional(v.string()),
    ...COMMON_FIELDS,
    /** Share of the matching calls that are hit; `seed` decides which. */
    probability: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1)), 1),
    seed: v.optional(whole(0, 4_294_967_295), 1),
    /** The service returns this error and does nothing. */
    error: v.optional(v.string()),
    /** Drops the connection before or after the service processes the call. */
    drop: v.optional(WhenSchema),
    /** Kills the calling environment before or after the service processes the call. */
    kill: v.optional(WhenSchema),
    /** The service reports success and does nothing. */
    lose: v.optional(v.literal(true)),
    /** The service processes the call this many times. */
    repeat: v.optional(whole(2, 10)),
    /** Delays a message by this many seconds. */
    late_s: v.optional(whole(1, 900)),
  }),
  v.check(
    ({ error, drop, kill, lose, repeat, late_s, delay_ms }) =>
      [error, drop, kill, lose, repeat, late_s].some(effect => effect !== undefined) || delay_ms > 0,
    'has no effect: set error, drop, kill, lose, repeat, late_s or delay_ms',
  ),
);
export type AwsFault = v.InferOutput<typeof AwsFaultSchema>;

export interface AwsCall {
  service: string;
  operation: string;
  /** Name of the calling function; `-` for other callers. */
  caller: string;
  /** Id of the calling environment; null for other callers. */
  environment: string | null;
  body: JsonObject;
}

type Act = (body: JsonObject) => Promise<AwsResponse>;

export interface AwsFaults extends Omit<CountedFaults<AwsFault, AwsCall>, 'take'> {
  /** Runs a call, altered by the fault that matches it. Throws AwsError or ConnectionDropped as the fault says. */
  around: (call: AwsCall, act: Act) => Promise<AwsResponse>;
}

/** The connection must be closed without a response. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped';
}

/** Status and further members of error responses by name; other names are a plain 400. */
const ERRORS: Readonly<Record<string, { status: number; code?: string; more?: JsonObject }>> = {
  InternalServerError: { status: 500 },
  InternalError: { status: 500 },
  InternalServerException: { status: 500 },
  ServiceUnavailable: { status: 503 },
  ServiceQuotaExceededException: { status: 402 },
  ConflictException: { status: 409 },
  TransactionConflict: {
    status: 400,
    code: 'TransactionCanceledException',
    more: { CancellationReasons: [{ Code: 'TransactionConflict', Message: 'Transaction is ongoing' }] },
  },
};

/** Fault injection for the emulated AWS services (`POST /_local/faults`). `kill` terminates an environment. */
export function createAwsFaults(kill: (environment: string) => Promise<unknown>): AwsFaults {
  const generators = new Map<string, () => number>();
  const { take, ...faults } = countedFaults(AwsFaultSchema, matches, isHit);

  function isHit({ id, seed, probability }: Listed<AwsFault>): boolean {
    const random = generators.get(id) ?? createRandom(seed);
    generators.set(id, random);
    return random() < probability;
  }

  async function interrupt(fault: AwsFault, when: 'before' | 'after', call: AwsCall): Promise<void> {
    if (fault.kill !== when && fault.drop !== when) return;
    await sleep(fault.delay_ms);
    if (fault.kill === when && call.environment !== null) await kill(call.environment);
    throw new ConnectionDropped('The connection was dropped');
  }

  async function around(call: AwsCall, act: Act): Promise<AwsResponse> {
    const fault = take(call);
    if (!fault) return act(call.body);
    await interrupt(fault, 'before', call);
    const answer = await applyFault(fault, call, act);
    await interrupt(fault, 'after', call);
    await sleep(fault.delay_ms);
    return answer;
  }

  return { ...faults, around };
}

async function applyFault(fault: AwsFault, call: AwsCall, act: Act): Promise<AwsResponse> {
  if (fault.error !== undefined) {
    await sleep(fault.delay_ms);
    throw errorNamed(fault.error);
  }
  if (fault.lose) return emptySuccess(call);
  const body = fault.late_s === undefined ? call.body : delayed(call.body, fault.late_s);
  for (let time = 1; time < (fault.repeat ?? 1); time += 1) await act(body);
  return act(body);
}

function errorNamed(name: string): AwsError {
  const { status, code, more } = ERRORS[name] ?? { status: 400 };
  return new AwsError(code ?? name, `Injected fault: ${name}`, status, more);
}

/** A success response that clients accept: SQS clients verify the MD5 of the message, ECS names why it ran no task. */
function emptySuccess({ operation, body }: AwsCall): AwsResponse {
  if (operation === 'RunTask') return ok({ tasks: [], failures: [{ reason: 'Capacity is unavailable' }] });
  if (operation !== 'SendMessage') return ok({});
  const text = v.parse(v.string(), body['MessageBody']);
  return ok({ MessageId: randomUUID(), MD5OfMessageBody: createHash('md5').update(text).digest('hex') });
}

function delayed(body: JsonObject, seconds: number): JsonObject {
  const requested = v.parse(v.optional(v.number(), 0), body['DelaySeconds']);
  return { ...body, DelaySeconds: Math.min(900, requested + seconds) };
}

function matches(fault: AwsFault, { service, operation, caller, body }: AwsCall): boolean {
  if (fault.service !== service) return false;
  if (fault.operation !== undefined && fault.operation !== operation) return false;
  if (fault.function !== undefined && !caller.endsWith(fault.function)) return false;
  const queue = body['QueueUrl'];
  return fault.queue === undefined || (typeof queue === 'string' && queue.endsWith(fault.queue));
}
