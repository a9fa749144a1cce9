import { idParam, route } from '../../shared/http/define-route.ts';
import { findAsset } from './find.ts';
import { AssetView, assetView } from './view.ts';

export const getMedia = route({
  method: 'GET',
  path: '/agency/media/{id}',
  operation_id: 'getMediaAsset',
  summary: 'Read a media asset',
  tag: 'Media assets',
  auth: 'key',
  params: idParam,
  responses: {
    200: { description: 'The asset', schema: AssetView },
    404: { description: 'Media asset not found' },
  },
  handler: async ({ params, principal }, services) => ({
    status: 200,
    body: assetView(await findAsset(services, principal, params.id)),
  }),
});
