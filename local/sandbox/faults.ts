import * as v from 'valibot';
import { JsonSchema } from '../../shared/model/json.ts';
import { PlatformIdSchema, type PlatformId } from '../../shared/model/platform.ts';
import { parsed } from './problem.ts';

const count = (most: number) => v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(most));
const WhenSchema = v.picklist(['before', 'after']);
const HeaderSchema = v.pipe(v.union([v.string(), v.number()]), v.transform(String));

const RespondSchema = v.strictObject({
  status: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599)),
  headers: v.optional(v.record(v.string(), HeaderSchema), {}),
  /** Text is sent as it is, all else as JSON. */
  body: v.optional(JsonSchema),
  /** The platform takes the request all the same; only its answer is replaced, as by a gateway that lost it. */
  taken: v.optional(v.boolean(), false),
});

const FaultSchema = v.pipe(
  v.strictObject({
    platform: PlatformIdSchema,
    method: v.optional(v.pipe(v.string(), v.toUpperCase())),
    /** Start of the real URL's path, or a regular expression that finds something in it. */
    path: v.optional(v.pipe(v.string(), v.check(isExpression, 'is no regular expression'))),
    /** How many requests are hit; 0: all of them. */
    times: v.optional(count(1_000_000), 1),
    /** How many matching requests pass first. */
    after: v.optional(count(1_000_000), 0),
    respond: v.optional(RespondSchema),
    /** How late the answer, or the cut, comes. */
    delay_ms: v.optional(count(600_000), 0),
    drop: v.optional(WhenSchema),
    kill: v.optional(WhenSchema),
  }),
  v.check(
    ({ respond, delay_ms, drop, kill }) => Boolean(respond ?? drop ?? kill) || delay_ms > 0,
    'does nothing: give respond, delay_ms, drop or kill',
  ),
);

export type Fault = v.InferOutput<typeof FaultSchema>;
export type Respond = v.InferOutput<typeof RespondSchema>;

export interface ListedFault extends Fault {
  id: string;
  /** Requests it will still hit; null: without end. */
  remaining: number | null;
  /** Matching requests that will still pass before. */
  passing: number;
  hits: number;
}

export interface Faults {
  /** Throws BadRequest. */
  add: (body: unknown) => { id: string };
  /** The fault for this request, the oldest that is due; counts it. */
  take: (request: { platform: PlatformId; method: string; path: string }) => Fault | null;
  /** Exhausted ones too, with nothing remaining, so that a test sees whether they came to pass. */
  list: () => ListedFault[];
  /** Forgets one, or all; false if there is no such fault. */
  clear: (id?: string) => boolean;
}

export function createFaults(): Faults {
  const faults = new Map<string, ListedFault>();
  let last = 0;

  function add(body: unknown): { id: string } {
    const fault = parsed(FaultSchema, body);
    last += 1;
    const id = `fault-${last}`;
    const remaining = fault.times === 0 ? null : fault.times;
    faults.set(id, { id, ...fault, remaining, passing: fault.after, hits: 0 });
    return { id };
  }

  function take(request: { platform: PlatformId; method: string; path: string }): Fault | null {
    for (const fault of faults.values()) {
      if (fault.remaining === 0 || !matches(fault, request)) continue;
      if (fault.passing > 0) {
        fault.passing -= 1;
        continue;
      }
      fault.hits += 1;
      if (fault.remaining !== null) fault.remaining -= 1;
      return fault;
    }
    return null;
  }

  function clear(id?: string): boolean {
    if (id !== undefined) return faults.delete(id);
    faults.clear();
    return true;
  }

  return { add, take, clear, list: () => [...faults.values()].map(fault => ({ ...fault })) };
}

function matches(fault: Fault, request: { platform: PlatformId; method: string; path: string }): boolean {
  if (fault.platform !== request.platform) return false;
  if (fault.method !== undefined && fault.method !== request.method) return false;
  return fault.path === undefined || pathMatches(fault.path, request.path);
}

/** The start of the path, or an expression that finds something in it (`/sendPhoto` behind a bot's token). */
function pathMatches(wanted: string, path: string): boolean {
  return path.startsWith(wanted) || new RegExp(wanted).test(path);
}

function isExpression(text: string): boolean {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return false;
  }
}
