import * as v from 'valibot';
import { codePointLength } from '../text/code-points.ts';
import { isBlank } from '../text/normalize.ts';

/** A trimmed text of `min` to `max` characters, counted in Unicode code points as JSON Schema does. */
export const textOfLength = (min: number, max: number) =>
  v.pipe(
    v.string(),
    v.metadata({ openapi: { type: 'string', minLength: min, maxLength: max } }),
    v.trim(),
    v.normalize('NFC'),
    v.check(
      text => codePointLength(text) >= min,
      min === 1 ? 'Must not be empty' : `Must have at least ${min} characters`,
    ),
    v.check(text => codePointLength(text) <= max, `Must have at most ${max} characters`),
  );

/** A name of at most `max` characters on one line, of which at least one is visible. */
export const nameOfLength = (max: number) =>
  v.pipe(
    textOfLength(0, max),
    v.metadata({ openapi: { type: 'string', minLength: 1, maxLength: max } }),
    v.check(name => !isBlank(name), 'Must not be empty'),
    v.regex(/^\P{Cc}*$/u, 'Must not contain control characters'),
  );

/** The id of a resource. It may be sent in any case (RFC 9562) and is stored in lower case. */
export const idField = v.pipe(v.string(), v.toLowerCase(), v.uuid('Must be a UUID'));

/** Names an existing profile. */
export const profileNameField = v.pipe(v.string(), v.trim(), v.nonEmpty('Must not be empty'));
