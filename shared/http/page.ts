import * as v from 'valibot';
import { sign, verify, type KeyRing } from '../aws/key-ring.ts';
import { validationFailed } from './errors.ts';

const LIMIT = 'Must be a whole number from 1 to 100';

/** Query parameters of every list. */
export const pageQuery = {
  limit: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,3}$/, LIMIT),
      v.transform(Number),
      v.minValue(1, LIMIT),
      v.maxValue(100, LIMIT),
    ),
    '20',
  ),
  cursor: v.optional(v.string()),
};

const PURPOSE = 'cursor';

/**
 * An opaque cursor for the page after `position`. `scope` names the list it belongs to, workspace and filters included:
 * the cursor is signed with it and fits no other list.
 */
export function writeCursor(ring: KeyRing, scope: string, position: string): string {
  return `${Buffer.from(position).toString('base64url')}.${sign(ring, PURPOSE, `${scope} ${position}`)}`;
}

/** The position a cursor stands for, null without a cursor. Throws the 400 of a cursor that is not of this list. */
export function readCursor(ring: KeyRing, scope: string, cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const [encoded = '', signature = ''] = cursor.split('.');
  const position = Buffer.from(encoded, 'base64url').toString('utf8');
  if (!verify(ring, PURPOSE, `${scope} ${position}`, signature)) {
    throw validationFailed([{ field: 'cursor', message: 'Is not a cursor of this list', platform: null }]);
  }
  return position;
}
