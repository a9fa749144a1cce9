import { disconnectAccount } from '../../shared/connections/disconnect.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import { findAccount } from './find.ts';

export const disconnect = route({
  method: 'DELETE',
  path: '/integrations/{id}',
  operation_id: 'disconnect',
  summary: 'Disconnect an account',
  description: 'Its tokens are given back to the platform where the platform takes them.',
  tag: 'Connections',
  auth: 'key',
  params: idParam,
  responses: { 204: { description: 'The account is gone' }, 404: { description: 'No such account' } },
  handler: async ({ params, principal }, services) => {
    const connection = await findAccount(services, principal, params.id);
    await disconnectAccount(services, connection);
    return { status: 204 };
  },
});
