import { validationFailed } from '../../shared/http/errors.ts';
import type { Playlist } from '../../shared/model/library.ts';
import { errorOf } from '../../shared/posts/error.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { ownersOfAssets } from '../../shared/store/assets.ts';
import { withoutAssets } from '../../shared/store/playlists.ts';

/** Throws 400 naming every id that is not an asset of the profile. */
export async function assertAssets(
  services: Services,
  workspaceId: string,
  profileId: string,
  ids: readonly string[],
): Promise<void> {
  const owners = await ownersOfAssets(services.table, workspaceId, ids);
  const details = ids.flatMap((id, index) => {
    if (owners.get(id) === profileId) return [];
    const message = owners.has(id) ? 'Belongs to another profile' : 'Does not exist in this profile';
    return [errorOf(`media_asset_ids[${index}]`, message)];
  });
  if (details.length > 0) throw validationFailed(details);
}

export function itemsOf(assetIds: readonly string[], newResourceId: () => string): Playlist['items'] {
  return assetIds.map(media_asset_id => ({ id: newResourceId(), media_asset_id }));
}

/** Removes assets that were deleted while the playlist was stored. Returns it as stored; null when it was deleted. */
export async function withoutDeletedAssets(services: Services, playlist: Playlist): Promise<Playlist | null> {
  const ids = playlist.items.map(({ media_asset_id }) => media_asset_id);
  const owners = await ownersOfAssets(services.table, playlist.workspace_id, ids);
  return withoutAssets(services.table, playlist, new Set(ids.filter(id => !owners.has(id))));
}
