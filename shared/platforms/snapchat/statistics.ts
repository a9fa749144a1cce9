import * as v from 'valibot';
import { JsonSchema, type Json } from '../../model/json.ts';
import { send, type Caller } from './call.ts';

/* Statistics of single posts. Their shape is not documented: three forms are read, see `statisticsIn`. */

export type PostKind = 'spotlights' | 'saved_stories' | 'stories';

/** A post of a public profile. */
export interface PostPath {
  profile: string;
  kind: PostKind;
  id: string;
}

/** Sums by Snapchat's name of the field, such as `VIEWS`. */
export type Statistics = ReadonlyMap<string, number>;

/** Returns the statistics of a post over its lifetime. Without `fields`, Snapchat returns all that the post has. */
export async function readStatistics(caller: Caller, { profile, kind, id }: PostPath): Promise<Statistics> {
  const path = `/v1/public_profiles/${profile}/${kind}/${encodeURIComponent(id)}/stats`;
  return statisticsIn(await send(caller, { what: 'Reading metrics', method: 'GET', path }, JsonSchema));
}

const value = v.union([v.number(), v.pipe(v.string(), v.regex(/^\d+(?:\.\d+)?$/), v.transform(Number))]);

/** A field beside its values: `{field: {field_name}, stats: [{dimension_breakdown, value}]}`. */
const FieldSchema = v.object({
  field: v.object({ field_name: v.string() }),
  stats: v.array(v.object({ dimension_breakdown: v.optional(v.nullable(v.string())), value })),
});
/** Values by name: `{stats: {VIEWS: 42}}`. */
const NamedSchema = v.object({ stats: v.record(v.string(), v.unknown()) });

/** Returns the sums of all fields in an answer, in whichever form and depth they come. */
export function statisticsIn(answer: Json): Statistics {
  const sums = new Map<string, number>();
  for (const [name, amount] of fieldsIn(answer)) {
    const key = name.toUpperCase();
    sums.set(key, (sums.get(key) ?? 0) + amount);
  }
  return sums;
}

function fieldsIn(json: Json): [string, number][] {
  if (typeof json !== 'object' || json === null) return [];
  const field = v.safeParse(FieldSchema, json);
  if (field.success) return valueOf(field.output);
  const named = Array.isArray(json) ? null : v.safeParse(NamedSchema, json);
  const own = named?.success === true ? namedValues(named.output) : [];
  return [...own, ...Object.values(json).flatMap(fieldsIn)];
}

/** The total among the values of a field. */
function valueOf({ field, stats }: v.InferOutput<typeof FieldSchema>): [string, number][] {
  const total =
    stats.find(
      ({ dimension_breakdown }) => dimension_breakdown == null || dimension_breakdown === 'DEFAULT',
    ) ?? stats[0];
  return total ? [[field.field_name, total.value]] : [];
}

function namedValues({ stats }: v.InferOutput<typeof NamedSchema>): [string, number][] {
  return Object.entries(stats).flatMap(([name, amount]): [string, number][] => {
    const parsed = v.safeParse(value, amount);
    return parsed.success ? [[name, parsed.output]] : [];
  });
}
