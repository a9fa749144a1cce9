import type { Schema } from './schema.ts';
import { entryOf } from './vocabulary/index.ts';

/** Whether a schema describes what a client sends (`input`) or what it receives. */
export type Mode = 'input' | 'output';

/** Returns the schema of a field with the description and the format of the vocabulary, where it has none of its own. */
export function described(schema: Schema, mode: Mode, owner: string, field: string): Schema {
  const entry = entryOf(owner, field);
  if (!entry || schema.$ref !== undefined) return schema;
  const format = entry.format && hasFormat(schema, mode, entry.format) ? { format: entry.format } : {};
  return { ...schema, ...format, description: schema.description ?? entry.description };
}

/** Requests may give a time without a zone, which is no `date-time`. */
function hasFormat(schema: Schema, mode: Mode, format: string): boolean {
  if (schema.type !== 'string' || schema.format !== undefined || schema.enum) return false;
  return mode === 'output' || format !== 'date-time';
}
