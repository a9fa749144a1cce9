import type { Route } from '../../shared/http/route.ts';
import { createPlaylist } from './create.ts';
import { deletePlaylist } from './delete.ts';
import { getPlaylist } from './get.ts';
import { listPlaylists } from './list.ts';
import { updatePlaylist } from './update.ts';

/** One entry per endpoint. */
export const routes: readonly Route[] = [
  listPlaylists,
  createPlaylist,
  getPlaylist,
  updatePlaylist,
  deletePlaylist,
];
