import type { Schema } from './schema.ts';
import { entryOf } from './vocabulary/index.ts';

/** Whether a schema describes what a client sends (`input`) or what it receives. */
export type Mode = 'input' | 'output';

/** Returns the schema of a field with the description and the format of the vocabulary, where it has none of its own. */
export function described(schema: Schema, mode: Mode, owner: string, field: string): Schema {
  if (schema.$ref !== undefined) return schema;
  const entry = entryOf(owner, field);
  const format = entry?.format && hasFormat(schema, mode, entry.format) ? { format: entry.format } : {};
  const description = schema.description ?? entry?.description;
  const whole = { ...schema, ...format, ...(description === undefined ? {} : { description }) };
  return mode === 'input' ? withoutDefault(whole) : whole;
}

/** Requests may give a time without a zone, which is no `date-time`. */
function hasFormat(schema: Schema, mode: Mode, format: string): boolean {
  if (schema.type !== 'string' || schema.format !== undefined || schema.enum) return false;
  return mode === 'output' || format !== 'date-time';
}

/** Generators make fields with a default required, so that the default of a field is said in its description. */
function withoutDefault({ default: usual, ...schema }: Schema): Schema {
  const isSaid = usual !== undefined && usual !== null && !/default/i.test(schema.description ?? '');
  if (!isSaid || (Array.isArray(usual) && usual.length === 0)) return schema;
  return { ...schema, description: `${schema.description ?? ''}; default: \`${JSON.stringify(usual)}\`` };
}
