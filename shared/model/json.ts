import * as v from 'valibot';

/** Any value that JSON can carry. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Written out and not composed of schemas: it looks at every value of every answer. */
export const JsonSchema: v.GenericSchema<Json> = v.custom<Json>(isJson, 'It must be a JSON value');
export const JsonObjectSchema: v.GenericSchema<JsonObject> = v.custom<JsonObject>(
  value => isObject(value) && isJson(value),
  'It must be a JSON object',
);

/** Parses JSON text; null where it is not JSON (a proxy's HTML page, an empty body). */
export function parseJson(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}

function isJson(value: unknown): value is Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || (Array.isArray(value) ? value : Object.values(value)).every(isJson);
    default:
      return false;
  }
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
