import * as v from 'valibot';
import { idField } from '../../shared/http/fields.ts';
import { MAX_PLAYLIST_ITEMS } from '../../shared/model/library.ts';
import { isBlank } from '../../shared/text/normalize.ts';

const MAX_NAME = 200;

export const nameField = v.pipe(
  v.string(),
  v.trim(),
  v.check(name => !isBlank(name), 'Must not be empty'),
  v.maxLength(MAX_NAME, `Must have at most ${MAX_NAME} characters`),
  v.regex(/^\P{Cc}*$/u, 'Must not contain control characters'),
);

/** In playing order; the same asset may occur more than once. */
export const assetIdsField = v.pipe(
  v.array(idField),
  v.maxLength(MAX_PLAYLIST_ITEMS, `Must contain at most ${MAX_PLAYLIST_ITEMS} ids`),
);
