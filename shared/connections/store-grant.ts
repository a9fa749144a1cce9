import * as v from 'valibot';
import { newId } from '../model/id.ts';
import type { JsonObject } from '../model/json.ts';
import type { AppCredentials } from '../model/platform-app.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Connection, Profile } from '../model/profile.ts';
import { targetModeOf, type Connector, type Grant } from '../platforms/contract/connector.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { getConnection, putConnection } from '../store/connections.ts';
import { deletePlatformUser, putPlatformUser } from '../store/platform-users.ts';
import { deleteTargets } from '../store/targets.ts';
import { sealApp } from './apps.ts';
import { platformUserOf } from './callbacks.ts';
import { sealCredentials } from './load.ts';
import { openPublishQueue } from './publish-mapping.ts';
import { refreshTargets } from './refresh-targets.ts';

export interface NewGrant {
  profile: Profile;
  platform: PlatformId;
  connector: Connector;
  /** Id of the way that the account was connected by. */
  way: string;
  grant: Grant<JsonObject>;
  /** The workspace's own app where the grant was made with it; null for the stack's. */
  ownApp: AppCredentials | null;
}

/**
 * Stores a grant as the profile's connection. The same account connected again keeps its id and default target; another
 * account replaces it under a new id. Nothing of stored credentials is carried over: a grant is complete. Throws
 * PlatformError `rejected` when it is not.
 */
export async function storeGrant(services: Services, granted: NewGrant): Promise<Connection> {
  const { profile, platform, connector, way, grant, ownApp } = granted;
  if (!v.is(connector.credentials, grant.credentials)) throw incompleteGrant();
  const earlier = await getConnection(services.table, profile.workspace_id, profile.id, platform);
  const same = earlier?.platform_user_id === grant.account.platform_user_id ? earlier : null;
  const now = services.now();
  const id = same?.id ?? newId(now);
  const defaultTarget = same?.way === way ? (same.default_target_id ?? null) : null;
  const connection: Connection = {
    id,
    workspace_id: profile.workspace_id,
    profile_id: profile.id,
    platform,
    way,
    ...grant.account,
    scopes: [...grant.scopes],
    attributes: { ...grant.attributes },
    sealed: await sealCredentials(services, id, grant.credentials),
    // Not that of a renewal which another worker stores between the read and this write.
    revision: Math.max(now, (same?.revision ?? 0) + 1),
    renew_at: grant.renew_at,
    token_expires_at: grant.expires_at,
    needs_reconnect: false,
    renewal_lease_until: null,
    connected_at: now,
    ...(ownApp ? { app: await sealApp(services, id, ownApp) } : {}),
    default_target_id: defaultTarget,
    needs_target: targetModeOf(connector, way) === 'required' && defaultTarget === null,
  };
  await openPublishQueue(services, platform);
  await putConnection(services.table, connection);
  await noteUser(services, connection, earlier);
  if (earlier && !same) await deleteTargets(services.table, earlier);
  return targetModeOf(connector, way) === 'none' ? connection : withTargets(services, connection);
}

/** Notes whose account it is, for callbacks that name the user; the user of a replaced account no longer has it. */
async function noteUser(
  { table }: Services,
  connection: Connection,
  earlier: Connection | null,
): Promise<void> {
  const user = await platformUserOf(connection);
  const before = earlier && (await platformUserOf(earlier));
  if (user) await putPlatformUser(table, user, connection);
  if (before && (before.space !== user?.space || before.id !== user.id)) {
    await deletePlatformUser(table, before, connection);
  }
}

/** Lists the targets of a new connection. The connection is kept when that fails: listing them later repeats it. */
async function withTargets(services: Services, connection: Connection): Promise<Connection> {
  try {
    return (await refreshTargets(services, connection)).connection;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    log.warn('Could not list the targets of a new connection', {
      platform: connection.platform,
      ...describeError(error),
    });
    return connection;
  }
}

const incompleteGrant = () =>
  new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message: 'The platform did not grant complete credentials: connect again and allow all permissions',
  });
