import { ENV } from '../../shared/aws/env.ts';
import { loadPlatformApp } from '../../shared/aws/platform-app.ts';
import { openAccount, withContext } from '../../shared/connections/vault.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import { notFound } from '../../shared/http/errors.ts';
import type { Connection } from '../../shared/model/profile.ts';
import { CONNECTORS } from '../../shared/platforms/registry.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { deleteConnection, listConnections } from '../../shared/store/connections.ts';

export const disconnect = route({
  method: 'DELETE',
  path: '/integrations/{id}',
  summary: 'Disconnect an account',
  tag: 'Connections',
  auth: 'key',
  params: idParam,
  responses: { 204: { description: 'The account is gone' }, 404: { description: 'No such account' } },
  handler: async ({ params, principal }, services) => {
    const accounts = await listConnections(services.table, principal.workspace_id);
    const connection = accounts.find(each => each.id === params.id);
    if (!connection) throw notFound('Account');
    await revoke(services, connection);
    await deleteConnection(services.table, connection);
    return { status: 204 };
  },
});

/** Gives the tokens back where the platform takes them; a platform that does not answer keeps nobody connected. */
async function revoke(services: Services, connection: Connection): Promise<void> {
  const giveBack = CONNECTORS[connection.platform]?.revoke;
  if (!giveBack) return;
  try {
    const { credentials } = await openAccount(services, connection);
    const app = await loadPlatformApp(
      services.ssm,
      services.setting(ENV.parameterPrefix),
      connection.platform,
    );
    await withContext(services, connection, context =>
      giveBack({ credentials, attributes: connection.attributes, app }, context),
    );
  } catch (error) {
    log.warn('A token could not be revoked', { platform: connection.platform, ...describeError(error) });
  }
}
