import * as v from 'valibot';
import { sign, verify, type KeyRing } from '../aws/key-ring.ts';
import { parseJsonStrictly } from '../model/json.ts';
import { validationFailed } from './errors.ts';

const CursorSchema = v.object({ after: v.string() });

/**
 * Returns an opaque cursor for the item after `after`. It is signed and valid for one `scope` only: one list of one
 * workspace with one set of filters.
 */
export function encodeCursor(ring: KeyRing, scope: string, after: string): string {
  const payload = Buffer.from(JSON.stringify({ after })).toString('base64url');
  return `${payload}.${sign(ring, `cursor:${scope}`, payload)}`;
}

/** Returns the item after which the page starts, or null without a cursor. Throws 400 for a cursor of another scope. */
export function decodeCursor(ring: KeyRing, scope: string, cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const [payload = '', signature = ''] = cursor.split('.');
  const json = parseJsonStrictly(Buffer.from(payload, 'base64url').toString('utf8'));
  const parsed = v.safeParse(CursorSchema, json);
  if (!parsed.success || !verify(ring, `cursor:${scope}`, payload, signature)) {
    const message = 'cursor is invalid; use next_cursor of this list, requested with the same filters';
    throw validationFailed([{ field: 'cursor', message, platform: null }]);
  }
  return parsed.output.after;
}

/** Query parameters of a paginated list. */
export const pageQuery = {
  limit: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,6}$/, 'Must be an integer from 1 to 100'),
      v.metadata({ openapi: { type: 'integer', minimum: 1, maximum: 100 } }),
      v.transform(Number),
      v.minValue(1, 'Must be at least 1'),
      v.maxValue(100, 'Must be at most 100'),
    ),
    '20',
  ),
  cursor: v.optional(v.string()),
};
