import * as v from 'valibot';
import { sign, verify, type KeyRing } from '../aws/key-ring.ts';
import { parseJsonStrictly } from '../model/json.ts';
import { validationFailed } from './errors.ts';

const CursorSchema = v.object({ after: v.string() });

/**
 * An opaque place in a list. It is signed and bound to the workspace and the filters of the list, so that one cursor
 * fits one list alone. `scope` names all three.
 */
export function encodeCursor(ring: KeyRing, scope: string, after: string): string {
  const payload = Buffer.from(JSON.stringify({ after })).toString('base64url');
  return `${payload}.${sign(ring, `cursor:${scope}`, payload)}`;
}

/** The item after which to go on; null without a cursor. Throws 400 for a cursor that is not this list's. */
export function decodeCursor(ring: KeyRing, scope: string, cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const [payload = '', signature = ''] = cursor.split('.');
  const json = parseJsonStrictly(Buffer.from(payload, 'base64url').toString('utf8'));
  const parsed = v.safeParse(CursorSchema, json);
  if (!parsed.success || !verify(ring, `cursor:${scope}`, payload, signature)) {
    throw validationFailed([{ field: 'cursor', message: 'Is not a cursor of this list', platform: null }]);
  }
  return parsed.output.after;
}

/** `limit` and `cursor` of a list. */
export const pageQuery = {
  limit: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,6}$/, 'Must be a whole number from 1 to 100'),
      v.metadata({ openapi: { type: 'integer', minimum: 1, maximum: 100 } }),
      v.transform(Number),
      v.minValue(1, 'Must be at least 1'),
      v.maxValue(100, 'Must be at most 100'),
    ),
    '20',
  ),
  cursor: v.optional(v.string()),
};
