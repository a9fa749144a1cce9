import { notFound } from '../../shared/http/errors.ts';
import type { Playlist } from '../../shared/model/library.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getPlaylist } from '../../shared/store/playlists.ts';

export const playlistNotFound = () => notFound('Playlist');

/** Reads a playlist of the caller's workspace. Throws 404 where there is none. */
export async function findPlaylist(services: Services, principal: Principal, id: string): Promise<Playlist> {
  const playlist = await getPlaylist(services.table, principal.workspace_id, id);
  if (!playlist) throw playlistNotFound();
  return playlist;
}
