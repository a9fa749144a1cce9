import * as v from 'valibot';
import type { Json } from '../../shared/model/json.ts';
import { references, type Addresses } from './references.ts';
import { resolve, type References } from './resolve.ts';
import type { Template } from './template.ts';

/** Reads typed resources of a template with resolved references. */
export interface Reader {
  references: References;
  /** All resources of these types with the given members of their properties. */
  all: <E extends v.ObjectEntries>(
    types: readonly string[],
    members: E,
  ) => { id: string; properties: v.InferOutput<v.ObjectSchema<E, undefined>> }[];
  /** All properties of the resources whose type matches, not validated. */
  allProperties: (matches: (type: string) => boolean) => { id: string; type: string; properties: Json }[];
}

export function createReader({ resources }: Template, addresses: Addresses): Reader {
  const names = references(resources, addresses);
  const withId = Object.entries(resources).map(([id, resource]) => ({ id, ...resource }));
  return {
    references: names,
    all: (types, members) =>
      withId
        .filter(({ Type }) => types.includes(Type))
        .map(({ id, Properties }) => ({
          id,
          properties: parseMembers(id, v.object(members), Properties, Object.keys(members), names),
        })),
    allProperties: matches =>
      withId
        .filter(({ Type }) => matches(Type))
        .map(({ id, Type, Properties }) => ({ id, type: Type, properties: resolve(Properties, names) })),
  };
}

/** Resolves only the given members: others may contain references that the local stack does not support. */
function parseMembers<T>(
  id: string,
  schema: v.GenericSchema<unknown, T>,
  properties: Record<string, Json>,
  members: readonly string[],
  names: References,
): T {
  const selected = Object.entries(properties).filter(([name]) => members.includes(name));
  const result = v.safeParse(schema, resolve(Object.fromEntries(selected), names));
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new Error(`Invalid resource ${id}: ${v.getDotPath(issue) ?? ''}: ${issue.message}`);
}
