import * as v from 'valibot';
import { additionalDetails, validateObject, withSubject } from '../http/validate.ts';
import { validationFailed, type ValidationDetail } from '../http/errors.ts';
import { PLATFORM_IDS, type PlatformId } from '../model/platform.ts';
import { STYLES } from '../platforms/registry/styles.ts';
import { codePointLength } from '../text/code-points.ts';
import { isBlank, normalizeText } from '../text/normalize.ts';

export const AI_TYPES = ['caption', 'hashtags', 'repurpose', 'improve'] as const;
export type AiType = (typeof AI_TYPES)[number];

/** The platforms that captions are written for: those with a style. */
export const AI_PLATFORMS: readonly PlatformId[] = PLATFORM_IDS.filter(id => STYLES[id] !== undefined);
export type AiPlatform = PlatformId;

export const TONES = [
  'casual',
  'professional',
  'funny',
  'inspirational',
  'genz',
  'formal',
  'friendly',
  'poetic',
] as const;
export type Tone = (typeof TONES)[number];

export const LANGUAGES = ['en', 'tr', 'ar', 'es', 'fr', 'de', 'pt', 'ja', 'ko', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

const MAX_PLATFORMS = 5;
const MAX_HASHTAGS = 30;

/** The field that each type needs. */
const SOURCE_FIELD: Readonly<Record<AiType, 'topic' | 'text'>> = {
  caption: 'topic',
  hashtags: 'topic',
  repurpose: 'text',
  improve: 'text',
};

/** A validated request: what to write, for which platforms. */
export interface Brief {
  type: AiType;
  /** The topic to write about, or the text to rewrite. */
  source: string;
  platforms: AiPlatform[];
  tone: Tone;
  language: Language;
  /** For type `hashtags`. */
  hashtag_count: number;
  context: string | null;
}

/** An optional text; null where it is blank. */
const text = (limit: number, description: string) =>
  v.nullish(
    v.pipe(
      v.string('Must be a string'),
      v.check(value => codePointLength(value) <= limit, `Must be at most ${limit} characters`),
      v.metadata({ openapi: { type: 'string', maxLength: limit, description } }),
      v.transform(value => (isBlank(value) ? null : normalizeText(value).trim())),
    ),
    null,
  );

const oneOf = <const T extends readonly string[]>(values: T) =>
  v.picklist(values, `Must be one of ${values.join(', ')}`);

const count = v.pipe(
  v.number('Must be a number'),
  v.integer('Must be a whole number'),
  v.minValue(0, `Must be 0 to ${MAX_HASHTAGS}`),
  v.maxValue(MAX_HASHTAGS, `Must be 0 to ${MAX_HASHTAGS}`),
  v.description('For type hashtags: how many'),
);

/** Validates the list and each entry, so that one answer names every error. */
const platforms = v.intersect([
  v.pipe(
    v.array(v.unknown(), 'Must be a list of platforms'),
    v.minLength(1, 'Must name at least one platform'),
    v.maxLength(MAX_PLATFORMS, `Must name at most ${MAX_PLATFORMS} platforms`),
  ),
  v.array(oneOf(AI_PLATFORMS), 'Must be a list of platforms'),
]);

const fields = {
  type: oneOf(AI_TYPES),
  topic: text(500, 'What to write about; required for caption and hashtags'),
  text: text(3000, 'What to rewrite; required for repurpose and improve'),
  platforms: v.nullish(platforms, ['instagram']),
  tone: v.nullish(oneOf(TONES), 'casual'),
  language: v.nullish(oneOf(LANGUAGES), 'en'),
  hashtag_count: v.nullish(count, 15),
  context: text(500, 'Guidance: audience, offer, what to mention'),
};

const documentedPlatforms = v.pipe(
  v.array(v.picklist(AI_PLATFORMS)),
  v.minLength(1),
  v.maxLength(MAX_PLATFORMS),
);

/** The body fields for the OpenAPI document. */
export const briefDocs: v.ObjectEntries = {
  ...fields,
  platforms: v.nullish(documentedPlatforms, ['instagram']),
};

/** The same fields unvalidated: `readBrief` reports every error of the request in one answer. */
export const anyBriefFields: v.ObjectEntries = Object.fromEntries(
  Object.keys(fields).map(name => [name, v.optional(v.unknown())]),
);

/** Validates a request body. Throws a 400 that names every error. */
export function readBrief(body: Record<string, unknown>): Brief {
  const own = distinct(validateObject(fields, body, 'body').details);
  const errors = [...own, ...additionalDetails(own, missingSource(body))];
  const parsed = v.safeParse(v.object(fields), body);
  if (errors.length > 0 || !parsed.success) throw validationFailed(errors);
  const { topic, text: given, platforms: named, ...rest } = parsed.output;
  const source = SOURCE_FIELD[rest.type] === 'topic' ? topic : given;
  return { ...rest, source: source ?? '', platforms: [...new Set(named)] };
}

/** The error of a topic or text that the type needs and that is missing. */
function missingSource({ type, ...body }: Record<string, unknown>): ValidationDetail[] {
  const known = v.safeParse(fields.type, type);
  if (!known.success) return [];
  const field = SOURCE_FIELD[known.output];
  const value = body[field];
  if (typeof value === 'string' && !isBlank(value)) return [];
  const problem = typeof value === 'string' ? 'Must not be empty' : 'Is required';
  const message = withSubject(field, `${problem} for type ${known.output}`);
  return [{ field, message, platform: null }];
}

const distinct = (details: readonly ValidationDetail[]): ValidationDetail[] => [
  ...new Map(details.map(each => [`${each.field} ${each.message}`, each])).values(),
];
