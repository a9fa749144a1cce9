import * as v from 'valibot';
import { profileNameField } from '../../http/fields.ts';
import { PlatformIdSchema, POST_TYPES } from '../../model/platform.ts';
import { RULES } from '../../platforms/registry/rules.ts';

const flag = v.nullish(v.boolean(), false);
const text = v.nullish(v.string(), null);

/** Fields of a post that belong to no platform. */
export const commonPostFields = {
  post_type: v.picklist(POST_TYPES, `Must be one of ${POST_TYPES.join(', ')}`),
  profile_name: profileNameField,
  platforms: v.pipe(v.array(v.string()), v.minLength(1, 'Must contain at least one platform')),
  media_urls: v.nullish(v.array(v.string()), []),
  media_alt_texts: v.nullish(v.array(v.nullable(v.string())), []),
  title: text,
  description: text,
  scheduled_date: text,
  timezone: text,
  add_to_queue: flag,
  schedule_best_time: flag,
  first_comment: text,
  auto_truncate: flag,
};

/**
 * Names of all platform fields. The body accepts any value for them: each listed platform validates its own fields, and
 * the fields of other platforms are ignored.
 */
const platformFieldNames: readonly string[] = Object.values(RULES).flatMap(rules =>
  Object.keys(rules.options),
);

/** Schemas of all platform fields, for the OpenAPI document. */
export const platformFieldDocs: v.ObjectEntries = Object.fromEntries(
  Object.values(RULES).flatMap(rules => Object.entries(rules.options)),
);

/** Schemas of all fields as `readPost` parses them. */
export const postFields: v.ObjectEntries = {
  ...commonPostFields,
  ...Object.fromEntries(platformFieldNames.map(name => [name, v.optional(v.unknown())])),
};

/** All fields with any value: `readPost` parses them, so that one response reports every error of a post. */
export const anyPostFields: v.ObjectEntries = Object.fromEntries(
  Object.keys(postFields).map(name => [name, v.optional(v.unknown())]),
);

/** Schemas of common fields as a client should send them: `readPost` also accepts aliases. */
const commonFieldDocs: v.ObjectEntries = {
  platforms: v.pipe(v.array(PlatformIdSchema), v.minLength(1)),
};

/** Schemas of all fields, for the OpenAPI document. */
export const postFieldDocs: v.ObjectEntries = { ...postFields, ...commonFieldDocs, ...platformFieldDocs };
