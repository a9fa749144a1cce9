import * as v from 'valibot';

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A plain function instead of nested schemas, because it visits every value of every platform response. */
export const JsonSchema: v.GenericSchema<Json> = v.custom<Json>(isJson, 'Must be a JSON value');
export const JsonObjectSchema: v.GenericSchema<JsonObject> = v.custom<JsonObject>(
  value => isObject(value) && isJson(value),
  'Must be a JSON object',
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
 * Parses JSON text of unknown content; undefined where it is malformed. A lone surrogate in a string (RFC 7493, section
 * 2.1), which no database and no platform accepts, and nesting deeper than `MAX_DEPTH` count as malformed.
 */
export function parseJsonStrictly(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isWellFormed(value, MAX_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** No request needs more levels, and deeper values could exhaust the stack of recursive functions. */
const MAX_DEPTH = 64;

function isWellFormed(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return (
    depth > 0 &&
    Object.entries(value).every(([name, entry]) => name.isWellFormed() && isWellFormed(entry, depth - 1))
  );
}
