import * as v from 'valibot';
import { besides, check } from '../http/define-route.ts';
import { validationFailed, type Detail } from '../http/errors.ts';
import { characters } from '../text/measure.ts';
import { isBlank, normalizeText } from '../text/normalize.ts';

export const AI_TYPES = ['caption', 'hashtags', 'repurpose', 'improve'] as const;
export type AiType = (typeof AI_TYPES)[number];

/** The platforms that captions are written for. */
export const AI_PLATFORMS = [
  'instagram',
  'x',
  'youtube',
  'facebook',
  'linkedin',
  'tiktok',
  'threads',
  'pinterest',
  'bluesky',
] as const;
export type AiPlatform = (typeof AI_PLATFORMS)[number];

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

export const MOST_PLATFORMS = 5;
const MOST_HASHTAGS = 30;

/** What each type is made from. */
const SOURCE: Readonly<Record<AiType, 'topic' | 'text'>> = {
  caption: 'topic',
  hashtags: 'topic',
  repurpose: 'text',
  improve: 'text',
};

/** What is to be written: a request that has passed. */
export interface Brief {
  type: AiType;
  /** The topic, or the text that is worked on. */
  source: string;
  platforms: AiPlatform[];
  tone: Tone;
  language: Language;
  /** How many, where only hashtags are asked for. */
  hashtag_count: number;
  context: string | null;
}

/** A text of some length; null where it says nothing. */
const text = (limit: number, description: string) =>
  v.nullish(
    v.pipe(
      v.string('Must be a string'),
      v.check(value => characters(limit).measure(value) <= limit, `Must be at most ${limit} characters`),
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
  v.minValue(0, `Must be 0 to ${MOST_HASHTAGS}`),
  v.maxValue(MOST_HASHTAGS, `Must be 0 to ${MOST_HASHTAGS}`),
  v.description('For type hashtags: how many'),
);

/** The list and each of its entries are judged both, so that one answer has all faults. */
const platforms = v.intersect([
  v.pipe(
    v.array(v.unknown(), 'Must be a list of platforms'),
    v.minLength(1, 'Must name at least one platform'),
    v.maxLength(MOST_PLATFORMS, `Must name at most ${MOST_PLATFORMS} platforms`),
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
  v.maxLength(MOST_PLATFORMS),
);

/** What the fields must be, for the OpenAPI document. */
export const briefDocs: v.ObjectEntries = {
  ...fields,
  platforms: v.nullish(documentedPlatforms, ['instagram']),
};

/** The same fields, whatever they hold: `readBrief` tells every fault of the request in one answer. */
export const anyBriefFields: v.ObjectEntries = Object.fromEntries(
  Object.keys(fields).map(name => [name, v.optional(v.unknown())]),
);

/** Reads a request. Throws 400 with every fault. */
export function readBrief(body: Record<string, unknown>): Brief {
  const own = unique(check(fields, body, 'body').details);
  const faults = [...own, ...besides(own, missingSource(body))];
  const parsed = v.safeParse(v.object(fields), body);
  if (faults.length > 0 || !parsed.success) throw validationFailed(faults);
  const { topic, text: given, platforms: named, ...rest } = parsed.output;
  const source = SOURCE[rest.type] === 'topic' ? topic : given;
  return { ...rest, source: source ?? '', platforms: [...new Set(named)] };
}

/** The type asks for a topic or a text, and there is none. */
function missingSource({ type, ...body }: Record<string, unknown>): Detail[] {
  const known = v.safeParse(fields.type, type);
  if (!known.success) return [];
  const field = SOURCE[known.output];
  const value = body[field];
  if (typeof value === 'string' && !isBlank(value)) return [];
  const message = typeof value === 'string' ? 'Must not be empty' : 'Is required';
  return [{ field, message: `${message} for type ${known.output}`, platform: null }];
}

const unique = (details: readonly Detail[]): Detail[] => [
  ...new Map(details.map(each => [`${each.field} ${each.message}`, each])).values(),
];
