import * as v from 'valibot';
import type { Playlist } from '../../shared/model/library.ts';
import { toIso } from '../../shared/time/instant.ts';

/** A playlist as the API returns it. */
export const PlaylistView = v.pipe(
  v.object({
    id: v.string(),
    workspace_id: v.string(),
    profile_id: v.string(),
    name: v.string(),
    loop_enabled: v.boolean(),
    created_at: v.string(),
    items: v.array(v.object({ id: v.string(), media_asset_id: v.string(), sort_order: v.number() })),
  }),
  v.title('Playlist'),
);

export const PlaylistAnswer = v.object({ message: v.string(), playlist: PlaylistView });

export function playlistView(playlist: Playlist): v.InferOutput<typeof PlaylistView> {
  const { id, workspace_id, profile_id, name, loop_enabled, items, created_at } = playlist;
  return {
    id,
    workspace_id,
    profile_id,
    name,
    loop_enabled,
    created_at: toIso(created_at),
    items: items.map((item, sort_order) => ({ ...item, sort_order })),
  };
}
