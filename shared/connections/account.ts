import { newId } from '../model/id.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Connection, Profile } from '../model/profile.ts';
import type { Grant } from '../platforms/contract/connector.ts';
import type { Services } from '../runtime/services.ts';
import { getConnection, putConnection } from '../store/connections.ts';
import { toIso, toIsoOrNull } from '../time/instant.ts';
import { mergeCredentials, loadAccount, renewalTime, sealCredentials } from './credentials.ts';

/**
 * Stores what a platform granted. The same account connected again keeps its id, and stored secrets that the new grant
 * lacks; another account takes its place under a new id.
 */
export async function storeGrant(
  services: Services,
  profile: Profile,
  platform: PlatformId,
  grant: Grant,
): Promise<Connection> {
  const earlier = await getConnection(services.table, profile.workspace_id, profile.id, platform);
  const same = earlier?.platform_user_id === grant.account.platform_user_id ? earlier : null;
  const now = services.now();
  const id = same?.id ?? newId(now);
  const credentials = same
    ? mergeCredentials((await loadAccount(services, same)).credentials, grant.credentials)
    : grant.credentials;
  const connection: Connection = {
    id,
    workspace_id: profile.workspace_id,
    profile_id: profile.id,
    platform,
    ...grant.account,
    scopes: [...grant.scopes],
    attributes: { ...grant.attributes },
    sealed: await sealCredentials(services, id, credentials),
    revision: (same?.revision ?? 0) + 1,
    token_expires_at: grant.token_expires_at,
    needs_reconnect: false,
    renewal_lease_until: null,
    connected_at: now,
    ...(same?.default_target_id === undefined ? {} : { default_target_id: same.default_target_id }),
  };
  const renewAt = renewalTime(platform, connection.token_expires_at, now);
  await putConnection(services.table, connection, renewAt);
  return connection;
}

/** An account as the API shows it. Secrets stay where they are. */
export function accountRecord(connection: Connection, profileName: string) {
  return {
    id: connection.id,
    platform: connection.platform,
    profile_id: connection.profile_id,
    profile_name: profileName,
    platform_user_id: connection.platform_user_id,
    display_name: connection.display_name,
    username: connection.username,
    avatar_url: connection.avatar_url,
    active: !connection.needs_reconnect,
    scopes: connection.scopes,
    token_expires_at: toIsoOrNull(connection.token_expires_at),
    connected_at: toIso(connection.connected_at),
    needs_reconnect: connection.needs_reconnect,
    default_target_id: connection.default_target_id ?? null,
  };
}
