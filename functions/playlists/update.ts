import * as v from 'valibot';
import { idParam, route } from '../../shared/http/define-route.ts';
import type { Playlist } from '../../shared/model/library.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { savePlaylist } from '../../shared/store/playlists.ts';
import { assetIdsField, nameField } from './fields.ts';
import { findPlaylist, playlistNotFound } from './find.ts';
import { assertAssets, itemsOf, withoutDeletedAssets } from './items.ts';
import { PlaylistAnswer, playlistView } from './view.ts';

export const updatePlaylist = route({
  method: 'PATCH',
  path: '/agency/playlists/{id}',
  operation_id: 'updatePlaylist',
  summary: 'Change a playlist',
  description: '`media_asset_ids` replaces the whole list.',
  tag: 'Playlists',
  auth: 'key',
  params: idParam,
  body: {
    name: v.exactOptional(nameField),
    loop_enabled: v.exactOptional(v.boolean()),
    media_asset_ids: v.exactOptional(assetIdsField),
  },
  body_example: { loop_enabled: false },
  responses: {
    200: { description: 'The playlist as it is now', schema: PlaylistAnswer },
    404: { description: 'Playlist not found' },
  },
  handler: async ({ params, body, principal, newResourceId }, services) => {
    const { media_asset_ids, ...fields } = body;
    const items = media_asset_ids === undefined ? {} : { items: itemsOf(media_asset_ids, newResourceId) };
    const saved = await applyChanges(services, principal, params.id, { ...fields, ...items });
    const stored = items.items ? await withoutDeletedAssets(services, saved) : saved;
    if (!stored) throw playlistNotFound();
    return { status: 200, body: { message: 'Playlist updated', playlist: playlistView(stored) } };
  },
});

type Changes = Partial<Pick<Playlist, 'name' | 'loop_enabled' | 'items'>>;

/** Retries when the playlist was changed concurrently. */
async function applyChanges(
  services: Services,
  principal: Principal,
  id: string,
  changes: Changes,
): Promise<Playlist> {
  for (;;) {
    const playlist = await findPlaylist(services, principal, id);
    const ids = changes.items?.map(({ media_asset_id }) => media_asset_id) ?? [];
    await assertAssets(services, playlist.workspace_id, playlist.profile_id, ids);
    const next = { ...playlist, ...changes };
    if (await savePlaylist(services.table, playlist, next)) {
      return { ...next, revision: playlist.revision + 1 };
    }
  }
}
