import * as v from 'valibot';
import { parseBody } from './sandbox/bad-request.ts';

/** Which of the matching requests a fault hits. */
export interface Counted {
  /** Number of requests to hit; 0 for all. */
  times: number;
  /** Number of matching requests that pass first. */
  after: number;
}

export const count = (most: number) => v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(most));

/** Fields that every kind of fault has. */
export const COMMON_FIELDS = {
  times: v.optional(count(1_000_000), 1),
  after: v.optional(count(1_000_000), 0),
  /** Delay of the response, or of the dropped connection. */
  delay_ms: v.optional(count(600_000), 0),
};

export const WhenSchema = v.picklist(['before', 'after']);

export type Listed<F> = F & {
  id: string;
  /** Requests it will still hit; null if unlimited. */
  remaining: number | null;
  /** Matching requests that will still pass first. */
  passing: number;
  hits: number;
};

/** A set of injected faults of type `F` for requests of type `R`. */
export interface CountedFaults<F, R> {
  /** Throws BadRequest. */
  add: (body: unknown) => { id: string };
  /** Returns and counts the oldest fault that hits this request; null if none does. */
  take: (request: R) => F | null;
  /** Includes exhausted faults, so that a test can see whether they were hit. */
  list: () => Listed<F>[];
  /** Removes one fault or all; false if the fault does not exist. */
  clear: (id?: string) => boolean;
}

/** `hits` may spare a request that matches and is due; by default none is spared. */
export function countedFaults<F extends Counted, R>(
  schema: v.GenericSchema<unknown, F>,
  matches: (fault: F, request: R) => boolean,
  hits: (fault: Listed<F>) => boolean = () => true,
): CountedFaults<F, R> {
  const faults = new Map<string, Listed<F>>();
  let last = 0;

  function add(body: unknown): { id: string } {
    const fault = parseBody(schema, body);
    last += 1;
    const id = `fault-${last}`;
    const remaining = fault.times === 0 ? null : fault.times;
    faults.set(id, { ...fault, id, remaining, passing: fault.after, hits: 0 });
    return { id };
  }

  function take(request: R): F | null {
    for (const fault of faults.values()) {
      if (fault.remaining === 0 || !matches(fault, request)) continue;
      if (fault.passing > 0) {
        fault.passing -= 1;
        continue;
      }
      if (!hits(fault)) continue;
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
