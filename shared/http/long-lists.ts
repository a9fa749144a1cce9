import type * as v from 'valibot';
import type { Detail } from './errors.ts';

/** More entries than any list of the API takes. A longer one is not looked at: each entry may be a fault of its own. */
const MOST_ENTRIES = 2000;

/** Sets aside the fields of a body that hold a list beyond all use, each with its fault. */
export function withoutLongLists(
  entries: v.ObjectEntries,
  body: unknown,
): { body: unknown; details: Detail[] } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { body, details: [] };
  const fields = Object.entries(body);
  const long = fields.filter(([name, value]) => Object.hasOwn(entries, name) && hasLongList(value));
  if (long.length === 0) return { body, details: [] };
  const names = new Set(long.map(([name]) => name));
  const message = `Must hold at most ${MOST_ENTRIES} entries`;
  return {
    body: Object.fromEntries(fields.filter(([name]) => !names.has(name))),
    details: long.map(([field]) => ({ field, message, platform: null })),
  };
}

function hasLongList(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const inner: unknown[] = Object.values(value);
  return (Array.isArray(value) && value.length > MOST_ENTRIES) || inner.some(hasLongList);
}
