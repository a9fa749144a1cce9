import * as v from 'valibot';
import { isBlank } from '../../shared/text/normalize.ts';

const NO_CONTROL_CHARACTERS = /^\P{Cc}*$/u;

const nameOfLength = (maxLength: number) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.check(name => !isBlank(name), 'Must not be empty'),
    v.maxLength(maxLength, `Must have at most ${maxLength} characters`),
    v.regex(NO_CONTROL_CHARACTERS, 'Must not contain control characters'),
  );

export const memberNameField = v.nullable(nameOfLength(100));
export const keyNameField = nameOfLength(100);

export const emailField = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(254, 'Must have at most 254 characters'),
  v.email('Must be an e-mail address'),
);

export const roleField = v.picklist(['owner', 'member'], 'Must be owner or member');
