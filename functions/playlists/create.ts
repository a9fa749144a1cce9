import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { notFound } from '../../shared/http/errors.ts';
import { idField } from '../../shared/http/fields.ts';
import type { Playlist } from '../../shared/model/library.ts';
import { createPlaylist as storePlaylist } from '../../shared/store/playlists.ts';
import { getProfile } from '../../shared/store/profiles.ts';
import { assetIdsField, nameField } from './fields.ts';
import { assertAssets, itemsOf, withoutDeletedAssets } from './items.ts';
import { PlaylistAnswer, playlistView } from './view.ts';

export const createPlaylist = route({
  method: 'POST',
  path: '/agency/playlists',
  operation_id: 'createPlaylist',
  summary: 'Create a playlist',
  description: 'An ordered list of media assets of one profile, for live broadcasts.',
  tag: 'Playlists',
  auth: 'key',
  body: {
    name: nameField,
    profile_id: idField,
    loop_enabled: v.nullish(v.boolean(), true),
    media_asset_ids: v.nullish(assetIdsField, []),
  },
  body_example: {
    name: 'Evening loop',
    profile_id: '0197c2f0-5b7a-7c3e-9d7b-0b6f2c1a4e55',
    media_asset_ids: [],
  },
  responses: {
    201: { description: 'The playlist', schema: PlaylistAnswer },
    404: { description: 'Profile not found' },
  },
  handler: async ({ body, principal, newResourceId, asked_at }, services) => {
    const { workspace_id } = principal;
    const { name, profile_id, loop_enabled, media_asset_ids } = body;
    if (!(await getProfile(services.table, workspace_id, profile_id))) throw notFound('Profile');
    await assertAssets(services, workspace_id, profile_id, media_asset_ids);
    const playlist: Playlist = {
      id: newResourceId(),
      workspace_id,
      profile_id,
      name,
      loop_enabled,
      items: itemsOf(media_asset_ids, newResourceId),
      revision: 1,
      created_at: asked_at,
    };
    await storePlaylist(services.table, playlist);
    const stored = (await withoutDeletedAssets(services, playlist)) ?? playlist;
    return { status: 201, body: { message: 'Playlist created', playlist: playlistView(stored) } };
  },
});
