import { PLATFORM_IDS, type PlatformId } from '../../shared/model/platform.ts';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import { nameSchema } from './json-schema.ts';
import type { Schema, Schemas } from './schema.ts';

/** Moves the platform fields of a request body to one named schema for each platform. */
export function groupedByPlatform(body: Schema, named: Schemas): Schema {
  const { properties = {}, required, description, ...rest } = body;
  const groups = PLATFORM_IDS.map(platform => groupOf(platform, properties)).filter(
    ({ fields }) => fields.length > 0,
  );
  if (groups.length === 0) return body;
  const grouped = new Set(groups.flatMap(({ fields }) => fields.map(([field]) => field)));
  const common = Object.fromEntries(Object.entries(properties).filter(([field]) => !grouped.has(field)));
  return {
    ...(description === undefined ? {} : { description }),
    allOf: [
      { ...rest, properties: common, ...(required ? { required } : {}) },
      ...groups.map(({ platform, fields }) =>
        nameSchema(optionsName(platform), optionsSchema(platform, fields), named),
      ),
    ],
  };
}

const groupOf = (platform: PlatformId, properties: Record<string, Schema>) => ({
  platform,
  fields: Object.entries(properties).filter(([field]) => Object.hasOwn(RULES[platform].options, field)),
});

/** `XOptions`, `YoutubeOptions`. */
const optionsName = (platform: PlatformId) =>
  `${platform.charAt(0).toUpperCase()}${platform.slice(1)}Options`;

const optionsSchema = (platform: PlatformId, fields: [string, Schema][]): Schema => ({
  type: 'object',
  title: RULES[platform].display_name,
  description: `Fields of a post that concern ${RULES[platform].display_name} only.`,
  properties: Object.fromEntries(fields),
});
