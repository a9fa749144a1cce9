import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import type { JsonObject } from '../../shared/model/json.ts';
import { parsed } from '../sandbox/problem.ts';
import { AwsError, ok, type AwsAnswer } from './answer.ts';
import { createRandom } from './random.ts';

const whole = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));
const WhenSchema = v.picklist(['before', 'after']);

const AwsFaultSchema = v.pipe(
  v.strictObject({
    service: v.picklist(['dynamodb', 'sqs', 'scheduler', 'ssm']),
    /** `UpdateItem`, `SendMessage`, …; `Invoke` is a schedule that fires. */
    operation: v.optional(v.string()),
    /** A function's name, or the end of it (`publisher-x`); `event-source` is what feeds the functions. */
    function: v.optional(v.string()),
    /** End of a queue's name. */
    queue: v.optional(v.string()),
    /** How many calls are hit; 0: all of them. */
    times: v.optional(whole(0, 1_000_000), 1),
    /** How many matching calls pass first. */
    after: v.optional(whole(0, 1_000_000), 0),
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
    /** How late the answer, or the cut, comes. */
    delay_ms: v.optional(whole(0, 600_000), 0),
  }),
  v.check(
    ({ error, drop, kill, lose, repeat, late_s, delay_ms }) =>
      [error, drop, kill, lose, repeat, late_s].some(effect => effect !== undefined) || delay_ms > 0,
    'does nothing: give error, drop, kill, lose, repeat, late_s or delay_ms',
  ),
);
export type AwsFault = v.InferOutput<typeof AwsFaultSchema>;

export interface ListedAwsFault extends AwsFault {
  id: string;
  /** Calls it will still hit; null: without end. */
  remaining: number | null;
  /** Matching calls that will still pass before. */
  passing: number;
  hits: number;
}

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

export interface AwsFaults {
  /** Throws BadRequest. */
  add: (body: unknown) => { id: string };
  /** Exhausted ones too, so that a test sees whether they came to pass. */
  list: () => ListedAwsFault[];
  /** Forgets one, or all; false if there is no such fault. */
  clear: (id?: string) => boolean;
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
  const faults = new Map<string, ListedAwsFault>();
  const dice = new Map<string, () => number>();
  let last = 0;

  function add(body: unknown): { id: string } {
    const fault = parsed(AwsFaultSchema, body);
    const id = `aws-fault-${++last}`;
    const remaining = fault.times === 0 ? null : fault.times;
    faults.set(id, { ...fault, id, remaining, hits: 0, passing: fault.after });
    dice.set(id, createRandom(fault.seed));
    return { id };
  }

  function take(call: AwsCall): AwsFault | null {
    for (const fault of faults.values()) {
      if (fault.remaining === 0 || !matches(fault, call)) continue;
      if (fault.passing > 0) {
        fault.passing -= 1;
        continue;
      }
      if ((dice.get(fault.id)?.() ?? 0) >= fault.probability) continue;
      fault.hits += 1;
      if (fault.remaining !== null) fault.remaining -= 1;
      return fault;
    }
    return null;
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

  return {
    add,
    around,
    list: () => [...faults.values()].map(fault => ({ ...fault })),
    clear: id => {
      if (id !== undefined) return faults.delete(id);
      faults.clear();
      return true;
    },
  };
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
