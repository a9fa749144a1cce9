import * as v from 'valibot';
import type { HttpResponse } from '../../../net/http.ts';
import { MINUTE, SECOND } from '../../../time/instant.ts';
import { parseLongIntegers } from '../../kit/long-integers.ts';

type Headers = HttpResponse['headers'];

/** How much of its budget of calls an app, a user or a Page has used, as the headers of a response say. */
export interface Usage {
  /** The highest of all counters; 0 where the response has no such header, which is normal. */
  percent: number;
  /** How long further calls are refused; 0 for not at all. Milliseconds. */
  blockedMs: number;
}

const percent = v.fallback(v.number(), 0);
const counters = { call_count: percent, total_time: percent, total_cputime: percent };
const AppUsageSchema = v.object(counters);
const BusinessUsageSchema = v.record(
  v.string(),
  v.array(v.object({ ...counters, estimated_time_to_regain_access: v.fallback(v.number(), 0) })),
);

type Counters = v.InferOutput<typeof AppUsageSchema>;

/** Wait where a budget is used up and the header names no time. */
const DEFAULT_BLOCK_MS = 10 * MINUTE;

export function readUsage(headers: Headers): Usage {
  const app = parseHeader(headers['x-app-usage'], AppUsageSchema);
  const business = parseHeader(headers['x-business-use-case-usage'], BusinessUsageSchema);
  const all = Object.values(business ?? {}).flat();
  const used = Math.max(0, ...[...(app ? [app] : []), ...all].map(highest));
  const regainMs = Math.max(0, ...all.map(each => each.estimated_time_to_regain_access)) * MINUTE;
  return { percent: used, blockedMs: regainMs > 0 || used < 100 ? regainMs : DEFAULT_BLOCK_MS };
}

/** Returns the wait that a refusal names, milliseconds; null where it names none. */
export function waitOf(headers: Headers): number | null {
  const business = parseHeader(headers['x-business-use-case-usage'], BusinessUsageSchema);
  const minutes = Object.values(business ?? {})
    .flat()
    .map(each => each.estimated_time_to_regain_access * MINUTE);
  const seconds = Number(headers['retry-after']) * SECOND;
  const wait = Math.max(0, ...minutes, Number.isNaN(seconds) ? 0 : seconds);
  return wait > 0 ? wait : null;
}

function highest({ call_count, total_time, total_cputime }: Counters): number {
  return Math.max(call_count, total_time, total_cputime);
}

function parseHeader<T>(header: string | undefined, schema: v.GenericSchema<unknown, T>): T | null {
  if (header === undefined) return null;
  const parsed = v.safeParse(schema, parseLongIntegers(header));
  return parsed.success ? parsed.output : null;
}

/** What the last call of each token told about its budget. */
export interface Budgets {
  get: (key: string, now: number) => Usage & { at: number };
  set: (key: string, usage: Usage & { at: number }) => void;
}

/** Meta counts calls by the hour. */
const MAX_AGE_MS = 60 * MINUTE;
const MAX_BUDGETS = 500;

export function createBudgets(): Budgets {
  const usages = new Map<string, Usage & { at: number }>();
  return {
    get: (key, now) => {
      const known = usages.get(key);
      const isCurrent = known && now - known.at < Math.max(MAX_AGE_MS, known.blockedMs);
      return isCurrent ? known : { percent: 0, blockedMs: 0, at: now };
    },
    set: (key, usage) => {
      // Only what slows calls down is worth keeping.
      if (usage.percent < SLOW_FROM_PERCENT && usage.blockedMs === 0) return void usages.delete(key);
      if (usages.size >= MAX_BUDGETS) usages.clear();
      usages.set(key, usage);
    },
  };
}

const SLOW_FROM_PERCENT = 80;
const MAX_PAUSE_MS = 2 * SECOND;

/** Returns the pause before the next call: none up to 80 percent, then up to two seconds. Milliseconds. */
export function pauseMs({ percent: used }: Usage): number {
  const share = (Math.min(used, 100) - SLOW_FROM_PERCENT) / (100 - SLOW_FROM_PERCENT);
  return Math.round(Math.max(0, share) * MAX_PAUSE_MS);
}
