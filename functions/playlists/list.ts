import * as v from 'valibot';
import { decodeCursor, encodeCursor, pageQuery } from '../../shared/http/cursor.ts';
import { route } from '../../shared/http/define-route.ts';
import { notFound } from '../../shared/http/errors.ts';
import { idField } from '../../shared/http/fields.ts';
import { nextPageLink } from '../../shared/http/link.ts';
import type { Playlist } from '../../shared/model/library.ts';
import { listPlaylists as readPlaylists } from '../../shared/store/playlists.ts';
import { getProfile } from '../../shared/store/profiles.ts';
import { PlaylistView, playlistView } from './view.ts';

/** Default `limit`, and the most items in a response: Lambda's response limit is 6 MB. */
const DEFAULT_LIMIT = 1000;
const MAX_ITEMS = 30_000;

export const listPlaylists = route({
  method: 'GET',
  path: '/agency/playlists',
  operation_id: 'listPlaylists',
  summary: 'List playlists, newest first',
  description: 'Where more follow, the `Link` header contains the URL of the next page (`rel="next"`).',
  tag: 'Playlists',
  auth: 'key',
  query: {
    profile_id: v.optional(idField),
    limit: v.optional(pageQuery.limit.wrapped),
    cursor: pageQuery.cursor,
  },
  responses: {
    200: { description: 'The playlists', schema: v.array(PlaylistView) },
    404: { description: 'Profile not found' },
  },
  handler: async ({ query, principal: { workspace_id }, base_url }, services) => {
    const { profile_id, limit = DEFAULT_LIMIT } = query;
    if (profile_id !== undefined && !(await getProfile(services.table, workspace_id, profile_id))) {
      throw notFound('Profile');
    }
    const ring = await services.keyRing();
    const scope = `playlists:${workspace_id}:${profile_id ?? ''}`;
    const before = decodeCursor(ring, scope, query.cursor);
    const all = await readPlaylists(services.table, workspace_id, profile_id);
    const following = before === null ? all : all.filter(({ id }) => id < before);
    const page = pageOf(following, limit);
    const last = page.at(-1);
    const more = page.length < following.length && last;
    const next = more ? { ...query, cursor: encodeCursor(ring, scope, last.id) } : null;
    const headers = next ? nextPageLink(`${base_url}/agency/playlists`, next) : {};
    return { status: 200, body: page.map(playlistView), headers };
  },
});

/** Returns the first playlists of a list: at least one, and no more than a response can contain. */
function pageOf(playlists: readonly Playlist[], limit: number): Playlist[] {
  let items = 0;
  const end = playlists.findIndex((playlist, index) => {
    items += playlist.items.length;
    return index >= limit || (index > 0 && items > MAX_ITEMS);
  });
  return playlists.slice(0, end < 0 ? playlists.length : end);
}
