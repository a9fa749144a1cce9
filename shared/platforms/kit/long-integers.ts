import { parseJson, type Json } from '../../model/json.ts';

/** A JSON string, or an integer that may exceed the safe integers. */
const STRING_OR_LONG_INTEGER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d{16,}(?![\d.eE])/g;

/**
 * Parses JSON with long integers as strings: ids exceed 2^53, and some platforms send them as numbers. Null where it is
 * not JSON. The pattern sees valid JSON only: in a string without an end it would search again from each of its quotes.
 */
export function parseLongIntegers(text: string): Json {
  if (parseJson(text) === null) return null;
  return parseJson(
    text.replace(STRING_OR_LONG_INTEGER, token => (token.startsWith('"') ? token : `"${token}"`)),
  );
}
