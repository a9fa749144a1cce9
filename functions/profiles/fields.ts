import * as v from 'valibot';
import { textOfLength } from '../../shared/http/fields.ts';
import { isBlank } from '../../shared/text/normalize.ts';

/** Letters of any script with their combining marks, digits, and `.`, `_`, `-`, space. */
const USERNAME = /^[\p{L}\p{M}\p{N}._ -]+$/u;

export const usernameField = v.pipe(
  textOfLength(3, 64),
  v.regex(USERNAME, 'May contain letters, digits, spaces and . _ - only'),
);

export const profileNameField = v.pipe(
  textOfLength(1, 100),
  v.check(name => !isBlank(name), 'Must not be empty'),
  v.regex(/^\P{Cc}*$/u, 'Must not contain control characters'),
);
