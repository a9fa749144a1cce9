import * as v from 'valibot';
import { idField, nameOfLength } from '../../shared/http/fields.ts';
import { SCOPES } from '../../shared/model/workspace.ts';
import { parseInstant } from '../../shared/time/instant.ts';

export const memberNameField = v.nullable(nameOfLength(100));
export const keyNameField = nameOfLength(100);

/** Most profiles that a key can be restricted to. */
const MAX_PROFILE_IDS = 100;

export const scopesField = v.pipe(
  v.array(v.picklist(SCOPES, `Must be one of ${SCOPES.join(', ')}`)),
  v.minLength(1, 'Must contain at least one scope; omit scopes for a key without this restriction'),
  v.transform(scopes => [...new Set(scopes)]),
);

export const profileIdsField = v.pipe(
  v.array(idField),
  v.minLength(1, 'Must contain at least one id; omit profile_ids for a key without this restriction'),
  v.maxLength(MAX_PROFILE_IDS, `Must contain at most ${MAX_PROFILE_IDS} ids`),
  v.transform(ids => [...new Set(ids)]),
);

export const expiresAtField = v.pipe(
  v.string(),
  v.check(text => parseInstant(text) !== null, 'Must be an ISO 8601 date-time such as 2027-01-31T00:00:00Z'),
  v.metadata({ openapi: { type: 'string', format: 'date-time' } }),
);

export const emailField = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(254, 'Must have at most 254 characters'),
  v.email('Must be an e-mail address'),
);

export const roleField = v.picklist(['owner', 'member'], 'Must be owner or member');
