import type { PlatformId } from '../model/platform.ts';
import type { AppCredentials } from '../model/platform-app.ts';
import type { Connection } from '../model/profile.ts';
import type { CallbackUser } from '../platforms/contract/connector.ts';
import { connectorOf } from './connector.ts';
import type { Services } from '../runtime/services.ts';
import { getConnection } from '../store/connections.ts';
import { connectionsOfUser } from '../store/platform-users.ts';
import { MINUTE } from '../time/instant.ts';
import { appOf, stackApp } from './apps.ts';

/** How far the platform's clock may be behind. */
const CLOCK_SKEW_MS = MINUTE;

/** Returns the user of a connection, as the platform's callbacks name it; null where the platform has none. */
export async function platformUserOf(connection: Connection): Promise<CallbackUser | null> {
  const connector = await connectorOf(connection.platform);
  return connector?.callbacks?.userOf(connection) ?? null;
}

/**
 * Returns the connections of the user that a callback of a platform names, in all workspaces: those that were made with
 * the app which signed it, before the request was issued: one that comes late, or again, does not concern an account that
 * the user has connected since. Null for a request that no app of the service signed.
 */
export async function connectionsOfCallback(
  services: Services,
  platform: PlatformId,
  signedRequest: string,
): Promise<Connection[] | null> {
  const callbacks = (await connectorOf(platform))?.callbacks;
  const id = callbacks?.userNamedBy(signedRequest) ?? null;
  if (!callbacks || id === null) return null;
  const isSignedBy = (app: AppCredentials | null) =>
    app !== null && callbacks.isSignedWith(signedRequest, app.client_secret);

  const named = await connectionsNamed(services, { space: callbacks.space, id });
  const apps = await Promise.all(named.map(connection => appOf(services, connection)));
  const stackApps = await Promise.all(callbacks.app_platforms.map(each => stackApp(services, each)));
  const isSignedByStack = stackApps.some(isSignedBy);
  const signed = named.filter(
    (connection, index) =>
      isSignedBy(apps[index] ?? null) || (connection.app === undefined && isSignedByStack),
  );
  if (signed.length === 0 && !isSignedByStack) return null;
  const latest = (callbacks.issuedAt(signedRequest) ?? Infinity) + CLOCK_SKEW_MS;
  return signed.filter(({ connected_at }) => connected_at <= latest);
}

async function connectionsNamed(services: Services, user: CallbackUser): Promise<Connection[]> {
  const refs = await connectionsOfUser(services.table, user);
  const connections = await Promise.all(
    refs.map(({ workspace_id, profile_id, platform }) =>
      getConnection(services.table, workspace_id, profile_id, platform),
    ),
  );
  const found = connections.filter(connection => connection !== null);
  const owners = await Promise.all(found.map(platformUserOf));
  return found.filter((_, index) => owners[index]?.space === user.space && owners[index].id === user.id);
}
