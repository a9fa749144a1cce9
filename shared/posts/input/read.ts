import * as v from 'valibot';
import type { ValidationDetail } from '../../http/errors.ts';
import { validateObject } from '../../http/validate.ts';
import { JsonObjectSchema, type JsonObject } from '../../model/json.ts';
import { PLATFORM_IDS, readPlatformId, type PlatformId, type PostType } from '../../model/platform.ts';
import { RULES } from '../../platforms/registry/rules.ts';
import { isBlank, normalizeText } from '../../text/normalize.ts';
import { errorOf } from '../error.ts';
import { criticalFieldErrors } from './critical-fields.ts';
import { commonPostFields, postFields } from './fields.ts';
import { readSchedule, type Schedule } from './schedule.ts';

/** A post as it was requested: texts normalised, platforms resolved, times parsed. A field that cannot be parsed counts as absent. */
export interface Candidate extends Schedule {
  /** Null where it is absent or invalid: rules that depend on it are then skipped. */
  post_type: PostType | null;
  profile_name: string | null;
  platforms: PlatformId[];
  title: string | null;
  description: string | null;
  first_comment: string | null;
  media_urls: string[];
  media_alt_texts: (string | null)[];
  auto_truncate: boolean;
  /** Fields of the listed platforms, as they were sent. */
  options: JsonObject;
  /** Names of the fields that were sent with a value: null, an empty text and an empty list are none. */
  sent: ReadonlySet<string>;
}

/** A candidate with the errors found while parsing it. */
export interface PostRequest {
  candidate: Candidate;
  /** Fields of the wrong type or of a wrong name. An error of such a field hides every other error of it. */
  malformed: ValidationDetail[];
  /** Unknown platforms, invalid dates, conflicting schedule fields. */
  errors: ValidationDetail[];
}

const { profile_name, post_type, ...otherFields } = commonPostFields;
/** The common fields, each optional: reading continues after an invalid one. */
const lenientFields = v.object({
  ...otherFields,
  profile_name: v.optional(v.nullable(profile_name), null),
  platforms: v.optional(v.array(v.string()), []),
  post_type: v.optional(v.nullable(post_type), null),
});

/** Parses the body of a post. `unknown`: names of its fields that are not known. `now`: epoch milliseconds. */
export async function readPost(
  body: Record<string, unknown>,
  unknown: readonly string[],
  now: number,
): Promise<PostRequest> {
  const { details } = validateObject(postFields, body, 'body');
  const malformed = [...criticalFieldErrors(unknown), ...details];
  const valid = validFields(body, details.length === 0);
  const input = v.parse(lenientFields, { ...valid, ...readableLists(body) });
  const { platforms, errors } = readPlatforms(input.platforms);
  const { schedule, errors: scheduleErrors } = await readSchedule(input, now);
  const candidate: Candidate = {
    ...schedule,
    post_type: input.post_type,
    profile_name: input.profile_name,
    platforms,
    title: visibleText(input.title),
    description: visibleText(input.description),
    first_comment: visibleText(input.first_comment),
    media_urls: input.media_urls,
    media_alt_texts: input.media_alt_texts.map(visibleText),
    auto_truncate: input.auto_truncate,
    options: optionsOf(valid, platforms),
    sent: sentNames(valid),
  };
  return { candidate, malformed, errors: [...errors, ...scheduleErrors] };
}

/** Returns the known fields of a body that pass their schema. */
function validFields(body: Record<string, unknown>, allPass: boolean): Record<string, unknown> {
  const passes = (name: string, schema: v.GenericSchema) =>
    allPass || v.safeParse(v.object({ [name]: schema }), body).success;
  const valid = Object.entries(postFields).filter(
    ([name, schema]) => Object.hasOwn(body, name) && passes(name, schema),
  );
  return Object.fromEntries(valid.map(([name]) => [name, body[name]]));
}

/** Of lists with invalid elements, the rest is still read; URLs keep their positions. */
function readableLists({ platforms, media_urls }: Record<string, unknown>): Record<string, string[]> {
  const isText = (value: unknown) => typeof value === 'string';
  return {
    ...(Array.isArray(platforms) ? { platforms: platforms.filter(isText) } : {}),
    ...(Array.isArray(media_urls) ? { media_urls: media_urls.map(url => (isText(url) ? url : '')) } : {}),
  };
}

const visibleText = (text: string | null) => (text === null || isBlank(text) ? null : normalizeText(text));

/** Resolves aliases; a platform that is named twice counts once. */
function readPlatforms(names: readonly string[]): { platforms: PlatformId[]; errors: ValidationDetail[] } {
  const platforms = new Set<PlatformId>();
  const errors: ValidationDetail[] = [];
  for (const name of new Set(names)) {
    const platform = readPlatformId(name);
    if (platform) platforms.add(platform);
    else errors.push(errorOf('platforms', `Must contain only ${PLATFORM_IDS.join(', ')}`, name));
  }
  return { platforms: [...platforms], errors };
}

/** Returns the fields of the listed platforms. */
function optionsOf(body: Record<string, unknown>, platforms: readonly PlatformId[]): JsonObject {
  const names = new Set(platforms.flatMap(platform => Object.keys(RULES[platform].options)));
  const own = Object.entries(body).filter(([name, value]) => names.has(name) && value != null);
  return v.parse(JsonObjectSchema, Object.fromEntries(own));
}

function sentNames(fields: Record<string, unknown>): ReadonlySet<string> {
  const hasValue = (value: unknown) =>
    value != null && value !== '' && !(Array.isArray(value) && value.length === 0);
  return new Set(Object.keys(fields).filter(name => hasValue(fields[name])));
}
