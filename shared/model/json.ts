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

/**
 * Parses JSON text without knowing what it should hold; undefined where it is malformed. Malformed are also a string
 * with half a surrogate pair (RFC 7493, section 2.1), which no database and no platform can take, and nesting beyond
 * reason.
 */
export function parseJsonStrictly(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isSound(value, MAX_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Deeper bodies serve no purpose and would exhaust the stack of whatever walks them. */
const MAX_DEPTH = 64;

function isSound(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return (
    depth > 0 &&
    Object.entries(value).every(([name, entry]) => name.isWellFormed() && isSound(entry, depth - 1))
  );
}
