import { ENV } from '../aws/env.ts';
import { loadPlatformApp } from '../aws/platform-app.ts';
import type { Connection } from '../model/profile.ts';
import { CONNECTORS } from '../platforms/registry.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { deleteConnection } from '../store/connections.ts';
import { loadAccount, withConnectContext } from './credentials.ts';

/** Ends a connection: its tokens at the platform, then here. Safe to repeat from any point. */
export async function disconnectAccount(services: Services, connection: Connection): Promise<void> {
  await revoke(services, connection);
  await deleteConnection(services.table, connection);
}

/** Gives the tokens back where the platform takes them; a platform that does not answer keeps nobody connected. */
async function revoke(services: Services, connection: Connection): Promise<void> {
  const giveBack = CONNECTORS[connection.platform]?.revoke;
  if (!giveBack) return;
  try {
    const { credentials } = await loadAccount(services, connection);
    const app = await loadPlatformApp(
      services.ssm,
      services.setting(ENV.parameterPrefix),
      connection.platform,
    );
    await withConnectContext(services, connection, context =>
      giveBack({ credentials, attributes: connection.attributes, app }, context),
    );
  } catch (error) {
    log.warn('A token could not be revoked', { platform: connection.platform, ...describeError(error) });
  }
}
