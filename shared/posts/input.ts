import * as v from 'valibot';
import { POST_TYPES } from '../model/platform.ts';
import { RULES } from '../platforms/registry.ts';

const flag = v.nullish(v.boolean(), false);
const text = v.nullish(v.string(), null);

/** Fields of a post that belong to no platform. */
export const commonPostFields = {
  post_type: v.picklist(POST_TYPES, `Must be one of ${POST_TYPES.join(', ')}`),
  profile_name: v.pipe(v.string(), v.trim(), v.nonEmpty('Must not be empty')),
  platforms: v.pipe(v.array(v.string()), v.minLength(1, 'Must name at least one platform')),
  media_urls: v.nullish(v.array(v.string()), []),
  title: text,
  description: text,
  scheduled_date: text,
  add_to_queue: flag,
  schedule_best_time: flag,
  first_comment: text,
  auto_truncate: flag,
};

/**
 * Names of all platform fields. The body takes them as they come: those of listed platforms are validated by these
 * platforms' own schemas, those of others are ignored, whatever they hold.
 */
export const platformFieldNames: readonly string[] = Object.values(RULES).flatMap(rules =>
  Object.keys(rules.options),
);

/** What the fields of listed platforms must be, for the OpenAPI document. */
export const platformFieldDocs: v.ObjectEntries = Object.fromEntries(
  Object.values(RULES).flatMap(rules => Object.entries(rules.options)),
);

export const createPostFields = {
  ...commonPostFields,
  ...Object.fromEntries(platformFieldNames.map(name => [name, v.optional(v.unknown())])),
};

/** The same fields, whatever they hold: `readInput` tells every fault of a post, not only those of its fields' kinds. */
export const anyPostFields: v.ObjectEntries = Object.fromEntries(
  Object.keys(createPostFields).map(name => [name, v.optional(v.unknown())]),
);

/** What the fields of a post must be, those of its platforms as well, for the OpenAPI document. */
export const postFieldDocs: v.ObjectEntries = { ...createPostFields, ...platformFieldDocs };

export type CommonPostInput = v.InferOutput<v.ObjectSchema<typeof commonPostFields, undefined>>;
