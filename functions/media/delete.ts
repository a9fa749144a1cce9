import * as v from 'valibot';
import { idParam, route } from '../../shared/http/define-route.ts';
import { deleteAsset } from '../../shared/store/assets.ts';
import { removeFromPlaylists } from '../../shared/store/playlists.ts';
import { assetNotFound, findAsset } from './find.ts';

export const deleteMedia = route({
  method: 'DELETE',
  path: '/agency/media/{id}',
  operation_id: 'deleteMediaAsset',
  summary: 'Delete a media asset',
  description: 'Removes it from every playlist. Posts keep their media.',
  tag: 'Media assets',
  auth: 'key',
  params: idParam,
  responses: {
    200: { description: 'The asset was deleted', schema: v.object({ message: v.string() }) },
    404: { description: 'Media asset not found' },
  },
  handler: async ({ params, principal }, services) => {
    const { table } = services;
    const asset = await findAsset(services, principal, params.id);
    // Before, so that an interrupted request can be repeated; after, for a playlist that was stored meanwhile.
    await removeFromPlaylists(table, asset);
    const ref = { workspace_id: asset.workspace_id, asset_id: asset.id };
    if (!(await deleteAsset(table, ref))) throw assetNotFound();
    await removeFromPlaylists(table, asset);
    return { status: 200, body: { message: 'OK' } };
  },
});
