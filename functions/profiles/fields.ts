import * as v from 'valibot';
import { nameOfLength, textOfLength } from '../../shared/http/fields.ts';

/** Letters of any script with their combining marks, digits, and `.`, `_`, `-`, space. */
const USERNAME = /^[\p{L}\p{M}\p{N}._ -]+$/u;

export const usernameField = v.pipe(
  textOfLength(3, 64),
  v.regex(USERNAME, 'May contain letters, digits, spaces and . _ - only'),
);

export const newProfileNameField = nameOfLength(100);
