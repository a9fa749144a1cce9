import * as v from 'valibot';
import type { TextRule } from '../../text/measure.ts';
import { normalizeText } from '../../text/normalize.ts';

/*
 * The kinds of fields that platforms' option schemas are made of. Descriptions go into the documents and the OpenAPI
 * description; messages never quote the value.
 */

const MAX_URL_LENGTH = 2048;
const MAX_TEXT_LENGTH = 5000;

const described = <T extends v.GenericSchema>(schema: T, description: string) =>
  v.pipe(schema, v.description(description));

const list = (values: readonly string[]) => values.join(', ');

/** One of a few words. */
export const choice = <const T extends readonly string[]>(values: T, description: string) =>
  described(v.optional(v.picklist(values, `Must be one of ${list(values)}`)), description);

/** One of a few words, with the one that holds where none is sent. */
export const choiceOr = <const T extends readonly string[]>(
  values: T,
  fallback: T[number],
  description: string,
) => v.optional(described(v.picklist(values, `Must be one of ${list(values)}`), description), fallback);

export const flag = (fallback: boolean, description: string) =>
  v.optional(described(v.boolean('Must be true or false'), description), fallback);

/** A switch without a default: absent says nothing. */
export const maybe = (description: string) =>
  v.optional(described(v.boolean('Must be true or false'), description));

const line = v.pipe(
  v.string('Must be a string'),
  v.trim(),
  v.nonEmpty('Must not be empty'),
  v.maxLength(MAX_TEXT_LENGTH, `Must be at most ${MAX_TEXT_LENGTH} characters`),
  v.check(value => !/\p{Cc}/u.test(value), 'Must hold no control characters'),
);

/** An id or a word of the platform. */
export const word = (description: string) => v.optional(described(line, description));

/** A word in a form that can be checked. */
export const wordLike = (form: RegExp, message: string, description: string) =>
  v.optional(v.pipe(line, v.regex(form, message), v.description(description)));

/** A text with the platform's limit, as it can be sent: without control characters and halves of surrogate pairs. */
export const limited = (rule: TextRule, description: string) =>
  v.optional(
    v.pipe(
      v.string('Must be a string'),
      v.check(
        text => rule.measure(normalizeText(text)) <= rule.limit,
        `Must be at most ${rule.limit} ${rule.unit}`,
      ),
      v.description(description),
      v.transform(normalizeText),
    ),
  );

const webUrl = v.pipe(
  v.string('Must be a string'),
  v.maxLength(MAX_URL_LENGTH, `Must be at most ${MAX_URL_LENGTH} characters`),
  v.check(isWebUrl, 'Must be an http or https URL'),
);

export const url = (description: string) => v.optional(described(webUrl, description));

/** The media of one platform alone, in place of `media_urls`. */
export const ownMedia = (platform: string) =>
  v.optional(
    v.pipe(
      v.array(v.string('Must be a URL'), 'Must be a list of URLs'),
      v.minLength(1, 'Must name at least one URL'),
      v.description(`Media for ${platform} in place of media_urls`),
    ),
  );

const text = v.pipe(v.string('Must be a string'), v.transform(normalizeText));

export const wordsOr = (fallback: string[], description: string) =>
  v.optional(described(v.array(text, 'Must be a list of strings'), description), fallback);

/** A language tag as BCP 47 defines it. */
export const language = (description: string) =>
  v.optional(v.pipe(line, v.check(isLanguage, 'Must be a BCP 47 language tag'), v.description(description)));

export const languageOr = (fallback: string, description: string) =>
  v.optional(
    v.pipe(line, v.check(isLanguage, 'Must be a BCP 47 language tag'), v.description(description)),
    fallback,
  );

/** Countries by their two letters. */
export const countries = (description: string) =>
  v.optional(
    described(
      v.array(
        v.pipe(
          v.string('Must be a string'),
          v.regex(/^[a-z]{2}$/i, 'Must be an ISO 3166-1 code of two letters'),
        ),
        'Must be a list of country codes',
      ),
      description,
    ),
  );

function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && hostname !== '';
}

function isLanguage(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
