import * as v from 'valibot';
import { isBlank } from '../../shared/text/normalize.ts';

/** Letters of any script with their combining marks, digits, and `.`, `_`, `-`, space. */
const USERNAME = /^[\p{L}\p{M}\p{N}._ -]+$/u;

export const usernameField = v.pipe(
  v.string(),
  v.trim(),
  v.normalize('NFC'),
  v.minLength(3, 'Must have at least 3 characters'),
  v.maxLength(64, 'Must have at most 64 characters'),
  v.regex(USERNAME, 'May contain letters, digits, spaces and . _ - only'),
);

export const profileNameField = v.pipe(
  v.string(),
  v.trim(),
  v.normalize('NFC'),
  v.nonEmpty('Must not be empty'),
  v.maxLength(100, 'Must have at most 100 characters'),
  v.check(name => !isBlank(name), 'Must not be empty'),
  v.regex(/^\P{Cc}*$/u, 'Must not contain control characters'),
);
