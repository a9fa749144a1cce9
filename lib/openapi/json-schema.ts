import { toJsonSchema, type JsonSchema as AnyJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { JsonSchema } from '../../shared/model/json.ts';
import { described, type Mode } from './describe.ts';
import type { Schema, Schemas } from './schema.ts';
import { schemaDescription } from './vocabulary/schemas.ts';

/** Where a schema is converted: what is sent or received, all named schemas, and the named one that it is part of. */
interface Place {
  mode: Mode;
  named: Schemas;
  owner: string;
}

export const schemaRef = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/**
 * Converts the input or output type of a valibot schema to an OpenAPI 3.0 schema. Schemas with a title are added to
 * `named` and referenced. `owner` is the name that the schema will get, where it has no title.
 */
export function toSchema(schema: v.GenericSchema, mode: Mode, named: Schemas, owner = ''): Schema {
  const converted = toJsonSchema(schema, {
    target: 'openapi-3.0',
    typeMode: mode,
    // Transformations and custom checks have no OpenAPI equivalent.
    errorMode: 'ignore',
    overrideSchema: ({ valibotSchema, jsonSchema }) => overridden(valibotSchema, jsonSchema),
    overrideAction: ({ valibotAction }) => openApiMetadata(valibotAction),
  });
  return normalize(readSchema(converted), { mode, named, owner });
}

/** Adds a schema under a name, unless it has one already, and returns a reference to it. */
export function nameSchema(name: string, schema: Schema, named: Schemas): Schema {
  return schema.$ref === undefined ? define(name, schema, named) : schema;
}

/** Overrides schemas that the converter describes incompletely. */
function overridden(schema: { type: string }, converted: AnyJsonSchema): AnyJsonSchema | null {
  if (schema === JsonSchema || schema.type === 'custom') return {};
  return schema.type === 'loose_object' ? { ...converted, additionalProperties: true } : null;
}

/** Reads `v.metadata({ openapi: … })`, which must come before any transformation. */
function openApiMetadata(action: unknown): AnyJsonSchema | null {
  const parsed = v.safeParse(OpenApiMetadata, action);
  return parsed.success ? parsed.output.metadata.openapi : null;
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

const OpenApiMetadata = v.object({
  type: v.literal('metadata'),
  metadata: v.object({ openapi: v.custom<AnyJsonSchema>(isObject) }),
});
const SchemaShape = v.custom<Schema>(isObject);
const readSchema = (value: unknown): Schema => v.parse(SchemaShape, value);

/** Rewrites what OpenAPI 3.0 does not allow, and replaces schemas that have a title by references. */
function normalize(schema: Schema, place: Place): Schema {
  const { required, title, ...rest } = renamed(schema);
  const whole: Schema = {
    ...rest,
    ...typed(rest),
    ...(required && required.length > 0 ? { required } : {}),
    ...nested(rest, { ...place, owner: title ?? place.owner }),
  };
  // A reference cannot be nullable, so nullable schemas stay inline.
  return title === undefined || whole.nullable ? whole : define(title, whole, place.named);
}

function define(name: string, schema: Schema, named: Schemas): Schema {
  const description = schema.description ?? schemaDescription(name.replace(/WithWarnings$/, ''));
  const complete = description === undefined ? schema : { ...schema, description };
  const known = named[name];
  if (known && JSON.stringify(known) !== JSON.stringify(complete)) {
    throw new Error(`Two different schemas have the name ${name}`);
  }
  named[name] = complete;
  return schemaRef(name);
}

/** OpenAPI 3.0 has a single `example`, nullable enums must contain null, and defaults of query numbers are strings. */
function renamed(schema: Schema & { examples?: readonly unknown[] }): Schema {
  const { examples, ...rest } = schema;
  return {
    ...rest,
    ...(examples ? { example: examples[0] } : {}),
    ...(rest.type === 'integer' && typeof rest.default === 'string' ? { default: Number(rest.default) } : {}),
    ...(rest.enum && rest.nullable ? { enum: [...new Set([...rest.enum, null])] } : {}),
  };
}

/** Client generators need the type of an enum. */
function typed(schema: Schema): Schema {
  if (schema.type || !schema.enum) return {};
  const types = new Set(schema.enum.filter(value => value !== null).map(value => typeof value));
  const [only] = types;
  return types.size === 1 && (only === 'string' || only === 'number' || only === 'boolean')
    ? { type: only }
    : {};
}

function nested(schema: Schema, place: Place): Schema {
  const each = (schemas: readonly Schema[]) => schemas.map(one => normalize(nullableToo(schema, one), place));
  const { properties, items, additionalProperties, anyOf, oneOf, allOf } = schema;
  const property = (one: Schema, field: string) =>
    described(normalize(one, place), place.mode, place.owner, field);
  return {
    ...(properties && { properties: mapValues(properties, property) }),
    ...(items && { items: normalize(items, place) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: normalize(additionalProperties, place),
    }),
    ...(anyOf && { anyOf: each(anyOf) }),
    ...(oneOf && { oneOf: each(oneOf) }),
    ...(allOf && { allOf: allOf.map(one => normalize(one, place)) }),
  };
}

/** `nullable` has an effect only next to a type, so it moves to the members of a union. */
const nullableToo = (parent: Schema, member: Schema): Schema =>
  parent.nullable && !parent.type ? { ...member, nullable: true } : member;

export function mapValues<A, B>(
  record: Record<string, A>,
  change: (value: A, key: string) => B,
): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
