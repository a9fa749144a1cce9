import * as v from 'valibot';

/** Any value that JSON can carry. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export const JsonSchema: v.GenericSchema<Json> = v.lazy(() =>
  v.union([
    v.string(),
    v.number(),
    v.boolean(),
    v.null(),
    v.array(JsonSchema),
    v.record(v.string(), JsonSchema),
  ]),
);
export const JsonObjectSchema: v.GenericSchema<JsonObject> = v.record(v.string(), JsonSchema);

/** Parses JSON text; null where it is not JSON (a proxy's HTML page, an empty body). */
export function parseJson(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return v.parse(JsonSchema, value);
  } catch {
    return null;
  }
}

/** Parses JSON text without looking into it; undefined where it is malformed (also when nested beyond reason). */
export function parseJsonStrictly(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return depthOf(value, MAX_DEPTH) > MAX_DEPTH ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Deeper bodies serve no purpose and would exhaust the stack of whatever walks them. */
const MAX_DEPTH = 64;

function depthOf(value: unknown, budget: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (budget < 0) return 1;
  return 1 + Math.max(0, ...Object.values(value).map(entry => depthOf(entry, budget - 1)));
}
