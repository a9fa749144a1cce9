import * as v from 'valibot';
import { JsonSchema } from '../../shared/model/json.ts';
import { PlatformIdSchema, type PlatformId } from '../../shared/model/platform.ts';
import { COMMON_FIELDS, countedFaults, WhenSchema, type CountedFaults } from '../counted-faults.ts';

const HeaderSchema = v.pipe(v.union([v.string(), v.number()]), v.transform(String));

const RespondSchema = v.strictObject({
  status: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599)),
  headers: v.optional(v.record(v.string(), HeaderSchema), {}),
  /** A string is sent as it is, any other value as JSON. */
  body: v.optional(JsonSchema),
  /** The platform processes the request; only its response is replaced, as by a failing gateway. */
  taken: v.optional(v.boolean(), false),
});

const FaultSchema = v.pipe(
  v.strictObject({
    platform: PlatformIdSchema,
    method: v.optional(v.pipe(v.string(), v.toUpperCase())),
    /** Prefix of the real URL's path, or a regular expression that matches a part of it. */
    path: v.optional(v.pipe(v.string(), v.check(isExpression, 'must be a valid regular expression'))),
    /** Name of the function that sends the request, or a part of it (`publisher-x`). */
    function: v.optional(v.string()),
    ...COMMON_FIELDS,
    respond: v.optional(RespondSchema),
    drop: v.optional(WhenSchema),
    kill: v.optional(WhenSchema),
  }),
  v.check(
    ({ respond, delay_ms, drop, kill }) => Boolean(respond ?? drop ?? kill) || delay_ms > 0,
    'has no effect: set respond, delay_ms, drop or kill',
  ),
);

export type Fault = v.InferOutput<typeof FaultSchema>;
export type Respond = v.InferOutput<typeof RespondSchema>;

/** A request to a platform. */
interface PlatformRequest {
  platform: PlatformId;
  method: string;
  path: string;
  /** Name of the function that sends it; null for other clients. */
  caller: string | null;
}

export type Faults = CountedFaults<Fault, PlatformRequest>;

/** Fault injection for requests to platforms (`/_control/faults`). */
export const createFaults = (): Faults => countedFaults(FaultSchema, matches);

function matches(fault: Fault, request: PlatformRequest): boolean {
  if (fault.platform !== request.platform) return false;
  if (fault.method !== undefined && fault.method !== request.method) return false;
  if (fault.function !== undefined && request.caller?.includes(fault.function) !== true) return false;
  return fault.path === undefined || pathMatches(fault.path, request.path);
}

/** Matches a prefix of the path or a part of it (`/sendPhoto` after a bot token). */
function pathMatches(pattern: string, path: string): boolean {
  return path.startsWith(pattern) || new RegExp(pattern).test(path);
}

function isExpression(text: string): boolean {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return false;
  }
}
