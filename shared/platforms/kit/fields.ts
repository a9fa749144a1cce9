import * as v from 'valibot';
import { codePointLength } from '../../text/code-points.ts';
import type { TextRule } from '../../text/measure.ts';
import { normalizeText } from '../../text/normalize.ts';
import { MAX_URL_LENGTH } from '../../net/public-url.ts';
import { isCountry, isLanguage, meantCountry, meantLanguage } from './codes.ts';

/*
 * Building blocks of the platforms' option schemas. Descriptions appear in the documents and in the OpenAPI document;
 * messages never quote the value.
 */

const MAX_TEXT_LENGTH = 5000;

const described = <T extends v.GenericSchema>(schema: T, description: string) =>
  v.pipe(schema, v.description(description));

const list = (values: readonly string[]) => values.join(', ');

/** One of a few values. */
export const choice = <const T extends readonly string[]>(values: T, description: string) =>
  described(v.optional(v.picklist(values, `Must be one of ${list(values)}`)), description);

/** One of a few values, with a default. */
export const choiceOr = <const T extends readonly string[]>(
  values: T,
  fallback: T[number],
  description: string,
) => v.optional(described(v.picklist(values, `Must be one of ${list(values)}`), description), fallback);

export const flag = (fallback: boolean, description: string) =>
  v.optional(described(v.boolean('Must be true or false'), description), fallback);

/** A flag without a default. */
export const optionalFlag = (description: string) =>
  v.optional(described(v.boolean('Must be true or false'), description));

const lineSchema = v.pipe(
  v.string('Must be a string'),
  v.trim(),
  v.nonEmpty('Must not be empty'),
  v.check(
    value => codePointLength(value) <= MAX_TEXT_LENGTH,
    `Must have at most ${MAX_TEXT_LENGTH} characters`,
  ),
  v.check(value => !/\p{Cc}/u.test(value), 'Must not contain control characters'),
);

/** One line of text, such as an id of the platform. */
export const line = (description: string) => v.optional(described(lineSchema, description));

/** One line of text in a given format. */
export const formattedLine = (format: RegExp, message: string, description: string) =>
  v.optional(v.pipe(lineSchema, v.regex(format, message), v.description(description)));

/** A text with a limit of the platform. Its value is normalised: LF line ends, no control characters, well-formed. */
export const limitedText = (rule: TextRule, description: string) =>
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

/** A platform's own media, in place of `media_urls`. */
export const ownMedia = (platform: string) =>
  v.optional(
    v.pipe(
      v.array(v.string('Must be a URL'), 'Must be a list of URLs'),
      v.minLength(1, 'Must contain at least one URL'),
      v.description(`Media for ${platform}, used instead of media_urls`),
    ),
  );

const textSchema = v.pipe(v.string('Must be a string'), v.transform(normalizeText));

/** A platform's own text, in place of `description`; the limits of the post's text apply to it. */
export const ownDescription = (platform: string) =>
  v.optional(
    v.pipe(
      v.string('Must be a string'),
      v.description(`Text for ${platform}, used instead of description`),
      v.transform(normalizeText),
    ),
  );

export const textListOr = (fallback: string[], description: string) =>
  v.optional(described(v.array(textSchema, 'Must be a list of strings'), description), fallback);

/** Adds what was probably meant to a message, which never quotes the value itself. */
const withHint = (message: string, meant: string | null) =>
  meant === null ? message : `${message}. Did you mean ${meant}?`;

const languageTag = v.pipe(
  lineSchema,
  v.check(isLanguage, ({ input }) => withHint('Must be a BCP 47 language tag', meantLanguage(input))),
);

/** A BCP 47 language tag. */
export const language = (description: string) => v.optional(described(languageTag, description));

export const languageOr = (fallback: string, description: string) =>
  v.optional(described(languageTag, description), fallback);

/** Up to `limit` BCP 47 language tags. */
export const languages = (limit: number, description: string) =>
  v.optional(
    v.pipe(
      v.array(languageTag, 'Must be a list of language tags'),
      v.maxLength(limit, `Must contain at most ${limit} language tags`),
      v.description(description),
    ),
  );

const countryCode = v.pipe(
  v.string('Must be a string'),
  v.check(isCountry, ({ input }) =>
    withHint('Must be an ISO 3166-1 alpha-2 country code such as DE', meantCountry(input)),
  ),
);

/** Countries by their ISO 3166-1 alpha-2 codes. */
export const countries = (description: string) =>
  v.optional(described(v.array(countryCode, 'Must be a list of country codes'), description));

function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && hostname !== '';
}
