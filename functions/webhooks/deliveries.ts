import * as v from 'valibot';
import { idParam, route } from '../../shared/http/define-route.ts';
import { decodeCursor, encodeCursor, pageQuery } from '../../shared/http/cursor.ts';
import {
  DELIVERY_RETENTION,
  listDeliveries as readDeliveries,
} from '../../shared/store/webhook-deliveries.ts';
import { findWebhook } from './find.ts';
import { DeliveryView, deliveryView } from './view.ts';

export const listDeliveries = route({
  method: 'GET',
  path: '/webhooks/{id}/deliveries',
  operation_id: 'listWebhookDeliveries',
  summary: 'List the deliveries of the last 30 days with every attempt, newest first',
  tag: 'Webhooks',
  auth: 'key',
  params: idParam,
  query: pageQuery,
  responses: {
    200: {
      description: 'A page of deliveries',
      schema: v.pipe(
        v.object({ data: v.array(DeliveryView), next_cursor: v.nullable(v.string()) }),
        v.title('WebhookDeliveryPage'),
      ),
    },
    404: { description: 'Webhook not found' },
  },
  handler: async ({ params, query, principal }, services) => {
    const webhook = await findWebhook(services, principal, params.id);
    const ring = await services.keyRing();
    const scope = `${webhook.workspace_id} deliveries ${webhook.id}`;
    const before = decodeCursor(ring, scope, query.cursor);
    const since = services.now() - DELIVERY_RETENTION;
    const { deliveries, more } = await readDeliveries(services.table, webhook.id, query.limit, before, since);
    const last = deliveries.at(-1);
    return {
      status: 200,
      body: {
        data: deliveries.map(deliveryView),
        next_cursor: more && last ? encodeCursor(ring, scope, last.delivery_id) : null,
      },
    };
  },
});
