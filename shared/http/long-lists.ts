import type * as v from 'valibot';
import type { ValidationDetail } from './errors.ts';

/** More than any list of the API accepts. Longer lists are not validated item by item: each could be an error. */
const MAX_ENTRIES = 2000;

/** Removes the fields of a body that contain an overlong list, with one validation error for each. */
export function withoutLongLists(
  entries: v.ObjectEntries,
  body: unknown,
): { body: unknown; details: ValidationDetail[] } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { body, details: [] };
  const fields = Object.entries(body);
  const long = fields.filter(([name, value]) => Object.hasOwn(entries, name) && hasLongList(value));
  if (long.length === 0) return { body, details: [] };
  const names = new Set(long.map(([name]) => name));
  const tooLong = `must contain at most ${MAX_ENTRIES} entries`;
  return {
    body: Object.fromEntries(fields.filter(([name]) => !names.has(name))),
    details: long.map(([field]) => ({ field, message: `${field} ${tooLong}`, platform: null })),
  };
}

function hasLongList(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const inner: unknown[] = Object.values(value);
  return (Array.isArray(value) && value.length > MAX_ENTRIES) || inner.some(hasLongList);
}
