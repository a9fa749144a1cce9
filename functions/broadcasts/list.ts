import * as v from 'valibot';
import { pageQuery } from '../../shared/http/cursor.ts';
import { route } from '../../shared/http/define-route.ts';
import { idField } from '../../shared/http/fields.ts';
import { BroadcastStatusSchema } from '../../shared/model/broadcast.ts';
import { listBroadcasts as readBroadcasts } from '../../shared/store/broadcasts.ts';
import { BroadcastView, broadcastView } from './view.ts';

export const listBroadcasts = route({
  method: 'GET',
  path: '/integrations/youtube/broadcasts',
  operation_id: 'listBroadcasts',
  summary: 'List live broadcasts, newest first',
  tag: 'Live broadcasts',
  auth: 'key',
  query: {
    account_id: v.optional(idField),
    profile_id: v.optional(idField),
    status: v.optional(BroadcastStatusSchema),
    limit: v.optional(pageQuery.limit.wrapped, '50'),
  },
  responses: {
    200: {
      description: 'The broadcasts',
      schema: v.pipe(
        v.object({ success: v.literal(true), broadcasts: v.array(BroadcastView) }),
        v.title('BroadcastList'),
      ),
    },
  },
  handler: async ({ query, principal }, services) => {
    const { account_id, profile_id, status, limit } = query;
    const filter = { social_account_id: account_id, profile_id, status };
    const found = await readBroadcasts(services.table, principal.workspace_id, filter, limit);
    const broadcasts = await Promise.all(found.map(each => broadcastView(each, services)));
    return { status: 200, body: { success: true, broadcasts } };
  },
});
