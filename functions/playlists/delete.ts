import * as v from 'valibot';
import { idParam, route } from '../../shared/http/define-route.ts';
import { deletePlaylist as removePlaylist } from '../../shared/store/playlists.ts';
import { playlistNotFound } from './find.ts';

export const deletePlaylist = route({
  method: 'DELETE',
  path: '/agency/playlists/{id}',
  operation_id: 'deletePlaylist',
  summary: 'Delete a playlist',
  description: 'Its media assets are kept.',
  tag: 'Playlists',
  auth: 'key',
  params: idParam,
  responses: {
    200: { description: 'The playlist was deleted', schema: v.object({ message: v.string() }) },
    404: { description: 'Playlist not found' },
  },
  handler: async ({ params, principal }, services) => {
    if (!(await removePlaylist(services.table, principal.workspace_id, params.id))) throw playlistNotFound();
    return { status: 200, body: { message: 'Playlist deleted' } };
  },
});
