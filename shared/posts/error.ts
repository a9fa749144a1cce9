import type { ValidationDetail } from '../http/errors.ts';
import { withSubject } from '../http/validate.ts';

/** Returns the validation error of a field. A message that is a predicate ("Must be …") gets the field as its subject. */
export function errorOf(field: string, message: string, platform: string | null = null): ValidationDetail {
  return { field, message: withSubject(field, message), platform };
}
