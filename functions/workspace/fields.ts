import * as v from 'valibot';
import { isBlank } from '../../shared/text/normalize.ts';

const NO_CONTROLS = /^\P{Cc}*$/u;

const nameOf = (longest: number) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.check(name => !isBlank(name), 'Must not be empty'),
    v.maxLength(longest, `Must have at most ${longest} characters`),
    v.regex(NO_CONTROLS, 'Must not hold control characters'),
  );

export const memberNameField = v.nullable(nameOf(100));
export const keyNameField = nameOf(100);

export const emailField = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(254, 'Must have at most 254 characters'),
  v.email('Must be an e-mail address'),
);

export const roleField = v.picklist(['owner', 'member'], 'Must be owner or member');
