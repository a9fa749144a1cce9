import * as v from 'valibot';
import { parsed } from './sandbox/problem.ts';

/** Which of the requests that match a fault are hit. */
export interface Counted {
  /** How many; 0: all of them. */
  times: number;
  /** How many pass first. */
  after: number;
}

export const count = (most: number) => v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(most));

/** The fields of a fault that every kind has. */
export const COMMON_FIELDS = {
  times: v.optional(count(1_000_000), 1),
  after: v.optional(count(1_000_000), 0),
  /** How late the answer, or the cut, comes. */
  delay_ms: v.optional(count(600_000), 0),
};

export const WhenSchema = v.picklist(['before', 'after']);

export type Listed<F> = F & {
  id: string;
  /** Requests it will still hit; null: without end. */
  remaining: number | null;
  /** Matching requests that will still pass before. */
  passing: number;
  hits: number;
};

/** Faults that wait for their requests. */
export interface CountedFaults<F, R> {
  /** Throws BadRequest. */
  add: (body: unknown) => { id: string };
  /** The fault for this request, the oldest that is due; counts it. */
  take: (request: R) => F | null;
  /** Exhausted ones too, with nothing remaining, so that a test sees whether they came to pass. */
  list: () => Listed<F>[];
  /** Forgets one, or all; false if there is no such fault. */
  clear: (id?: string) => boolean;
}

/** `hits` has the last word on a request that matches and whose turn it is; without it all are hit. */
export function countedFaults<F extends Counted, R>(
  schema: v.GenericSchema<unknown, F>,
  matches: (fault: F, request: R) => boolean,
  hits: (fault: Listed<F>) => boolean = () => true,
): CountedFaults<F, R> {
  const faults = new Map<string, Listed<F>>();
  let last = 0;

  function add(body: unknown): { id: string } {
    const fault = parsed(schema, body);
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
