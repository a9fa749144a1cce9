import type { Schema, Schemas } from './schema.ts';
import { entryOf } from './vocabulary/index.ts';

/** Where an example is needed: in which named schema, for which field. */
interface Place {
  named: Schemas;
  owner: string;
  field: string;
}

/** Returns a valid value of a schema: its required properties, or all of them if none is required. */
export function exampleOf(schema: Schema, named: Schemas, owner = ''): unknown {
  return valueOf(schema, { named, owner, field: '' });
}

function valueOf(schema: Schema, place: Place): unknown {
  const { target, owner } = resolve(schema, place);
  const here = { ...place, owner };
  if (target.example !== undefined) return target.example;
  const known = entryOf(here.owner, here.field)?.example;
  if (known !== undefined && fits(known, target)) return known;
  const choice = (target.anyOf ?? target.oneOf ?? [])[0];
  if (choice) return valueOf(choice, here);
  if (target.allOf) return Object.assign({}, ...target.allOf.map(part => valueOf(part, here)));
  if (target.enum) return target.enum[0];
  if (target.default !== undefined && target.default !== null) return target.default;
  return byType(target, here);
}

function resolve(schema: Schema, { named, owner }: Place): { target: Schema; owner: string } {
  if (schema.$ref === undefined) return { target: schema, owner };
  const name = schema.$ref.split('/').at(-1) ?? '';
  const target = named[name];
  if (!target) throw new Error(`Unknown reference ${schema.$ref}`);
  return { target, owner: name };
}

function byType(schema: Schema, place: Place): unknown {
  switch (schema.type) {
    case 'object':
      return objectOf(schema, place);
    case 'array':
      return schema.items ? [valueOf(schema.items, place)] : [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'string':
      return textOf(schema, place);
    case undefined:
      return {};
  }
}

function textOf({ format = '' }: Schema, { owner, field }: Place): string {
  const known = BY_FORMAT[format];
  if (known === undefined) throw new Error(`The vocabulary has no example of ${owner}.${field}`);
  return known;
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '018f6f5e-7c1a-7b3e-9c1d-2f4a5b6c7d8e',
  'date-time': '2026-12-01T10:00:00.000Z',
  email: 'sam@example.com',
};

function objectOf(schema: Schema, place: Place): Record<string, unknown> {
  const required = schema.required ?? [];
  const shown = Object.entries(schema.properties ?? {}).filter(
    ([name]) => required.includes(name) || required.length === 0,
  );
  const own = shown.map(([field, inner]) => [field, valueOf(inner, { ...place, field })] as const);
  const { additionalProperties: additional } = schema;
  const others = typeof additional === 'object' ? [['x', valueOf(additional, place)] as const] : [];
  return Object.fromEntries([...own, ...others]);
}

function fits(value: unknown, { type, items, nullable, enum: allowed, $ref, anyOf }: Schema): boolean {
  if ($ref !== undefined || anyOf) return false;
  if (value === null) return nullable === true;
  if (allowed && !allowed.includes(value)) return false;
  if (type === 'array')
    return Array.isArray(value) && (!items?.enum || value.every(one => items.enum?.includes(one)));
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
