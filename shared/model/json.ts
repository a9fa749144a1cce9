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
