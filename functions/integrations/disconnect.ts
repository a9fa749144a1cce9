import { disconnectAccount } from '../../shared/connections/disconnect.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import { findOwnAccount } from './find.ts';

export const disconnect = route({
  method: 'DELETE',
  path: '/integrations/{id}',
  operation_id: 'disconnectAccount',
  summary: 'Disconnect an account',
  description: 'Its tokens are revoked at the platform where the platform supports that.',
  tag: 'Connections',
  auth: 'key',
  access: 'creator',
  params: idParam,
  responses: {
    204: { description: 'The account is disconnected' },
    404: { description: 'Account not found' },
  },
  handler: async ({ params, principal }, services) => {
    const { account } = await findOwnAccount(services, principal, params.id);
    await disconnectAccount(services, account);
    return { status: 204 };
  },
});
