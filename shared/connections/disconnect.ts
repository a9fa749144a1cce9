import type { Connection } from '../model/profile.ts';
import { connectorOf } from './connector.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { deleteConnection } from '../store/connections.ts';
import { connectionsOfUser, deletePlatformUser } from '../store/platform-users.ts';
import { deleteTargets } from '../store/targets.ts';
import { platformUserOf } from './callbacks.ts';
import { loadAccount, toConnectedAccount } from './load.ts';
import { withConnectContext } from './platform-context.ts';

/** Disconnects an account: revokes its credentials at the platform, then deletes it. Safe to repeat from any point. */
export async function disconnectAccount(services: Services, connection: Connection): Promise<void> {
  const user = await platformUserOf(connection);
  const isLast = user === null || (await connectionsOfUser(services.table, user)).length <= 1;
  // Revoking ends the access to everything of the user, other connections included.
  if (isLast) await revokeCredentials(services, connection);
  await deleteTargets(services.table, connection);
  await deleteConnection(services.table, connection);
  if (user) await deletePlatformUser(services.table, user, connection);
}

/** Best effort: an account is disconnected even when the platform does not answer. */
async function revokeCredentials(services: Services, connection: Connection): Promise<void> {
  const { platform } = connection;
  const revoke = (await connectorOf(platform))?.revoke;
  if (!revoke) return;
  try {
    const account = await loadAccount(services, connection);
    await withConnectContext(services, platform, context => revoke(toConnectedAccount(account), context));
  } catch (error) {
    log.warn('Could not revoke credentials', { platform, ...describeError(error) });
  }
}
