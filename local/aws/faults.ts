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
import { AwsError, ok, type AwsAnswer } from './answer.ts';
import { createRandom } from './random.ts';

const whole = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));

const AwsFaultSchema = v.pipe(
  v.strictObject({
    service: v.picklist(['dynamodb', 'sqs', 'scheduler', 'ssm']),
    /** `UpdateItem`, `SendMessage`, …; `Invoke` is a schedule that fires. */
    operation: v.optional(v.string()),
    /** A function's name, or the end of it (`publisher-x`); `event-source` is what feeds the functions. */
    function: v.optional(v.string()),
    /** End of a queue's name. */
    queue: v.optional(v.string()),
    ...COMMON_FIELDS,
    /** Share of the matching calls that are hit; which ones, follows from `seed`. */
    probability: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1)), 1),
    seed: v.optional(whole(0, 4_294_967_295), 1),
    /** The service refuses the call under this name, and does nothing. */
    error: v.optional(v.string()),
    /** The connection is cut, before the service took the call or after. */
    drop: v.optional(WhenSchema),
    /** The environment that calls dies, before the service took the call or after. */
    kill: v.optional(WhenSchema),
    /** The service says yes, and forgets the call. */
    lose: v.optional(v.literal(true)),
    /** The service does what it is asked so many times. */
    repeat: v.optional(whole(2, 10)),
    /** A message comes so many seconds later. */
    late_s: v.optional(whole(1, 900)),
  }),
  v.check(
    ({ error, drop, kill, lose, repeat, late_s, delay_ms }) =>
      [error, drop, kill, lose, repeat, late_s].some(effect => effect !== undefined) || delay_ms > 0,
    'does nothing: give error, drop, kill, lose, repeat, late_s or delay_ms',
  ),
);
export type AwsFault = v.InferOutput<typeof AwsFaultSchema>;

export interface AwsCall {
  service: string;
  operation: string;
  /** Name of the calling function, `-` for others. */
  caller: string;
  /** Its environment, where a function calls. */
  environment: string | null;
  body: JsonObject;
}

type Act = (body: JsonObject) => Promise<AwsAnswer>;

export interface AwsFaults extends Omit<CountedFaults<AwsFault, AwsCall>, 'take'> {
  /** Lets a call happen, unless a fault is due. Throws AwsError where it is refused, Cut where no answer comes. */
  around: (call: AwsCall, act: Act) => Promise<AwsAnswer>;
}

/** The connection is to be cut without an answer. */
export class Cut extends Error {
  override readonly name = 'Cut';
}

/** Status and further members of refusals by their names; others are a plain 400. */
const REFUSALS: Readonly<Record<string, { status: number; code?: string; more?: JsonObject }>> = {
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

/** Makes the emulated services fail as told: `POST /_local/faults`. `kill` ends an environment at once. */
export function createAwsFaults(kill: (environment: string) => Promise<unknown>): AwsFaults {
  const dice = new Map<string, () => number>();
  const { take, ...faults } = countedFaults(AwsFaultSchema, matches, isThrown);

  function isThrown({ id, seed, probability }: Listed<AwsFault>): boolean {
    const die = dice.get(id) ?? createRandom(seed);
    dice.set(id, die);
    return die() < probability;
  }

  async function cutOff(fault: AwsFault, when: 'before' | 'after', call: AwsCall): Promise<void> {
    if (fault.kill !== when && fault.drop !== when) return;
    await sleep(fault.delay_ms);
    if (fault.kill === when && call.environment !== null) await kill(call.environment);
    throw new Cut('The connection was cut');
  }

  async function around(call: AwsCall, act: Act): Promise<AwsAnswer> {
    const fault = take(call);
    if (!fault) return act(call.body);
    await cutOff(fault, 'before', call);
    const answer = await happen(fault, call, act);
    await cutOff(fault, 'after', call);
    await sleep(fault.delay_ms);
    return answer;
  }

  return { ...faults, around };
}

async function happen(fault: AwsFault, call: AwsCall, act: Act): Promise<AwsAnswer> {
  if (fault.error !== undefined) {
    await sleep(fault.delay_ms);
    throw refusalNamed(fault.error);
  }
  if (fault.lose) return forgotten(call);
  const body = fault.late_s === undefined ? call.body : later(call.body, fault.late_s);
  for (let time = 1; time < (fault.repeat ?? 1); time += 1) await act(body);
  return act(body);
}

function refusalNamed(name: string): AwsError {
  const { status, code, more } = REFUSALS[name] ?? { status: 400 };
  return new AwsError(code ?? name, `As told: ${name}`, status, more);
}

/** What a caller accepts for a yes: a client of SQS checks that its message came in whole. */
function forgotten({ operation, body }: AwsCall): AwsAnswer {
  if (operation !== 'SendMessage') return ok({});
  const text = v.parse(v.string(), body['MessageBody']);
  return ok({ MessageId: randomUUID(), MD5OfMessageBody: createHash('md5').update(text).digest('hex') });
}

function later(body: JsonObject, seconds: number): JsonObject {
  const planned = v.parse(v.optional(v.number(), 0), body['DelaySeconds']);
  return { ...body, DelaySeconds: Math.min(900, planned + seconds) };
}

function matches(fault: AwsFault, { service, operation, caller, body }: AwsCall): boolean {
  if (fault.service !== service) return false;
  if (fault.operation !== undefined && fault.operation !== operation) return false;
  if (fault.function !== undefined && !caller.endsWith(fault.function)) return false;
  const queue = body['QueueUrl'];
  return fault.queue === undefined || (typeof queue === 'string' && queue.endsWith(fault.queue));
}
