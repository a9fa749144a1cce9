import { toJsonSchema, type JsonSchema as AnyJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { JsonSchema } from '../../shared/model/json.ts';

/** A schema of OpenAPI 3.0, as far as this project writes it. */
export interface Schema {
  $ref?: string;
  type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  title?: string;
  description?: string;
  format?: string;
  pattern?: string;
  enum?: readonly unknown[];
  nullable?: boolean;
  default?: unknown;
  example?: unknown;
  deprecated?: boolean;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

export type Schemas = Record<string, Schema>;

export const schemaRef = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/**
 * The OpenAPI 3.0 form of a schema: of what it takes (`input`) or of what it gives (`output`). Schemas with a title go
 * into `named` and are referred to.
 */
export function toSchema(schema: v.GenericSchema, mode: 'input' | 'output', named: Schemas): Schema {
  const converted = toJsonSchema(schema, {
    target: 'openapi-3.0',
    typeMode: mode,
    // Trimming and checks have no form there.
    errorMode: 'ignore',
    overrideSchema: ({ valibotSchema, jsonSchema }) => overridden(valibotSchema, jsonSchema),
    overrideAction: ({ valibotAction }) => ownWords(valibotAction),
  });
  return tidy(readSchema(converted), named);
}

/** Where the converter says too little. */
function overridden(schema: { type: string }, converted: AnyJsonSchema): AnyJsonSchema | null {
  if (schema === JsonSchema || schema.type === 'custom') return {};
  return schema.type === 'loose_object' ? { ...converted, additionalProperties: true } : null;
}

/** What a schema says of itself by `v.metadata({ openapi: … })`; it stands before any transformation. */
function ownWords(action: unknown): AnyJsonSchema | null {
  const parsed = v.safeParse(OwnWords, action);
  return parsed.success ? parsed.output.metadata.openapi : null;
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

const OwnWords = v.object({
  type: v.literal('metadata'),
  metadata: v.object({ openapi: v.custom<AnyJsonSchema>(isObject) }),
});
const SchemaShape = v.custom<Schema>(isObject);
const readSchema = (value: unknown): Schema => v.parse(SchemaShape, value);

/** Mends what the converter leaves that OpenAPI 3.0 does not allow, and names what has a title. */
function tidy(schema: Schema, named: Schemas): Schema {
  const { required, title, ...rest } = renamed(schema);
  const whole: Schema = {
    ...rest,
    ...typed(rest),
    ...(required && required.length > 0 ? { required } : {}),
    ...inner(rest, named),
  };
  if (title === undefined) return whole;
  // Beside a reference nothing else counts, so what may also be null is written where it stands.
  if (whole.nullable) return whole;
  return name(title, whole, named);
}

function name(title: string, schema: Schema, named: Schemas): Schema {
  const known = named[title];
  if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new Error(`Two different schemas have the title ${title}`);
  }
  named[title] = schema;
  return schemaRef(title);
}

/** 3.0 knows one `example`, a nullable enumeration must hold null, and numbers of a query are written as texts. */
function renamed(schema: Schema & { examples?: readonly unknown[] }): Schema {
  const { examples, ...rest } = schema;
  return {
    ...rest,
    ...(examples ? { example: examples[0] } : {}),
    ...(rest.type === 'integer' && typeof rest.default === 'string' ? { default: Number(rest.default) } : {}),
    ...(rest.enum && rest.nullable ? { enum: [...new Set([...rest.enum, null])] } : {}),
  };
}

/** An enumeration of texts is a string for those who generate clients. */
function typed(schema: Schema): Schema {
  if (schema.type || !schema.enum) return {};
  const types = new Set(schema.enum.filter(value => value !== null).map(value => typeof value));
  const [only] = types;
  return types.size === 1 && (only === 'string' || only === 'number' || only === 'boolean')
    ? { type: only }
    : {};
}

function inner(schema: Schema, named: Schemas): Schema {
  const each = (schemas: readonly Schema[]) => schemas.map(one => tidy(nullableToo(schema, one), named));
  const { properties, items, additionalProperties, anyOf, oneOf, allOf } = schema;
  return {
    ...(properties && { properties: mapValues(properties, one => tidy(one, named)) }),
    ...(items && { items: tidy(items, named) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: tidy(additionalProperties, named),
    }),
    ...(anyOf && { anyOf: each(anyOf) }),
    ...(oneOf && { oneOf: each(oneOf) }),
    ...(allOf && { allOf: allOf.map(one => tidy(one, named)) }),
  };
}

/** `nullable` means something beside a type only: the members of a choice carry it. */
const nullableToo = (parent: Schema, member: Schema): Schema =>
  parent.nullable && !parent.type ? { ...member, nullable: true } : member;

export function mapValues<A, B>(
  record: Record<string, A>,
  change: (value: A, key: string) => B,
): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
