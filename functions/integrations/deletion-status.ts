import * as v from 'valibot';
import { verify } from '../../shared/aws/key-ring.ts';
import { route } from '../../shared/http/define-route.ts';
import { notFound } from '../../shared/http/errors.ts';
import { findPlatform } from '../../shared/http/platform.ts';
import { DELETION } from './delete-data.ts';

export const deletionStatus = route({
  method: 'GET',
  path: '/integrations/{platform}/data-deletion/{code}',
  operation_id: 'getDataDeletion',
  summary: 'Show that the data of a user were deleted',
  tag: 'Connections',
  auth: 'none',
  params: { platform: v.string(), code: v.string() },
  responses: {
    200: {
      description: 'The data were deleted',
      schema: v.pipe(
        v.object({ status: v.literal('deleted'), confirmation_code: v.string() }),
        v.title('DataDeletionStatus'),
      ),
    },
    404: { description: 'Platform or code not found' },
  },
  handler: async ({ params: { platform, code } }, services) => {
    findPlatform(platform);
    const [id = '', signature = ''] = code.split('.');
    if (!verify(await services.keyRing(), DELETION, id, signature)) throw notFound('Deletion');
    return { status: 200, body: { status: 'deleted', confirmation_code: code } } as const;
  },
});
