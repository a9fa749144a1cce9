import * as v from 'valibot';
import { idField, profileNameField, textOfLength } from '../../shared/http/fields.ts';
import { toInstant } from '../../shared/http/instant-field.ts';
import { BROADCAST_PRIVACIES } from '../../shared/model/broadcast.ts';

const MAX_DESCRIPTION = 5000;

const withoutMarkup = v.check(
  (text: string) => !/[<>]/.test(text),
  'Must not contain < or >: YouTube rejects them',
);

const titleField = v.pipe(
  textOfLength(5, 100),
  withoutMarkup,
  v.regex(/^\P{Cc}*$/u, 'Must not contain control characters'),
);

/** YouTube counts bytes. */
const descriptionField = v.pipe(
  v.string(),
  v.maxLength(MAX_DESCRIPTION, `Must have at most ${MAX_DESCRIPTION} characters`),
  v.transform(text => text.replaceAll('\r\n', '\n').trim()),
  v.maxBytes(MAX_DESCRIPTION, `Must have at most ${MAX_DESCRIPTION} bytes in UTF-8: YouTube counts bytes`),
  withoutMarkup,
);

const startTimeField = v.pipe(
  v.string(),
  v.metadata({ openapi: { type: 'string', format: 'date-time' } }),
  toInstant,
);

/** Body of a new broadcast. */
export const broadcastFields = {
  profile_name: profileNameField,
  title: titleField,
  description: v.nullish(descriptionField, null),
  privacyStatus: v.nullish(v.picklist(BROADCAST_PRIVACIES), 'public'),
  start_time: v.pipe(
    v.nullish(startTimeField, null),
    v.description('Default: about a minute after the request'),
  ),
  playlist_id: v.pipe(
    v.nullish(idField, null),
    v.description('The playlist to stream; without one, your own encoder streams to the answered address'),
  ),
  is_loop: v.pipe(
    v.nullish(v.boolean(), null),
    v.description('Repeats the playlist until the broadcast is stopped. Default: as the playlist says'),
  ),
};
