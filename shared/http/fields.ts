import * as v from 'valibot';

/** A trimmed text of `min` to `max` characters, counted in Unicode code points as JSON Schema does. */
export const textOfLength = (min: number, max: number) =>
  v.pipe(
    v.string(),
    v.metadata({ openapi: { type: 'string', minLength: min, maxLength: max } }),
    v.trim(),
    v.normalize('NFC'),
    v.check(
      text => codePoints(text) >= min,
      min === 1 ? 'Must not be empty' : `Must have at least ${min} characters`,
    ),
    v.check(text => codePoints(text) <= max, `Must have at most ${max} characters`),
  );

const codePoints = (text: string) => Array.from(text).length;
