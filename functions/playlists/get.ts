import { idParam, route } from '../../shared/http/define-route.ts';
import { findPlaylist } from './find.ts';
import { PlaylistView, playlistView } from './view.ts';

export const getPlaylist = route({
  method: 'GET',
  path: '/agency/playlists/{id}',
  operation_id: 'getPlaylist',
  summary: 'Read a playlist with its items',
  tag: 'Playlists',
  auth: 'key',
  params: idParam,
  responses: {
    200: { description: 'The playlist', schema: PlaylistView },
    404: { description: 'Playlist not found' },
  },
  handler: async ({ params, principal }, services) => ({
    status: 200,
    body: playlistView(await findPlaylist(services, principal, params.id)),
  }),
});
