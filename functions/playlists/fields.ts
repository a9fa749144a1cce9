import * as v from 'valibot';
import { idField, nameOfLength } from '../../shared/http/fields.ts';
import { MAX_PLAYLIST_ITEMS } from '../../shared/model/library.ts';

const MAX_NAME = 200;

export const nameField = nameOfLength(MAX_NAME);

/** In playing order; the same asset may occur more than once. */
export const assetIdsField = v.pipe(
  v.array(idField),
  v.maxLength(MAX_PLAYLIST_ITEMS, `Must contain at most ${MAX_PLAYLIST_ITEMS} ids`),
);
