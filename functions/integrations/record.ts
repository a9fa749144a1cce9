import * as v from 'valibot';
import { expiresSoon, hasValidCredentials } from '../../shared/connections/renew.ts';
import { PlatformIdSchema } from '../../shared/model/platform.ts';
import type { Connection } from '../../shared/model/profile.ts';
import { GRANT_ENDS_AT } from '../../shared/platforms/contract/connector.ts';
import { DAY, toIso, toIsoOrNull } from '../../shared/time/instant.ts';

const text = v.nullable(v.string());

const GRANT_NOTICE_MS = 14 * DAY;

/** An account as the API shows it, without secrets. */
export const AccountRecord = v.pipe(
  v.object({
    id: v.string(),
    platform: PlatformIdSchema,
    profile_id: v.string(),
    profile_name: v.string(),
    platform_user_id: v.string(),
    display_name: v.string(),
    username: text,
    avatar_url: text,
    active: v.boolean(),
    scopes: v.array(v.string()),
    token_expires_at: text,
    connected_at: v.string(),
    needs_reconnect: v.boolean(),
    default_target_id: text,
    needs_target: v.pipe(
      v.boolean(),
      v.description('True while posts need a page or location and none is chosen as `default_target_id`'),
    ),
    way: v.pipe(v.string(), v.description('The way that the account was connected by')),
    own_app: v.pipe(v.boolean(), v.description("True when it was connected with the workspace's own app")),
    warnings: v.array(v.object({ code: v.picklist(['EXPIRES_SOON']), message: v.string() })),
  }),
  v.title('Account'),
);

export function accountRecord(
  connection: Connection,
  profileName: string,
  now: number,
): v.InferOutput<typeof AccountRecord> {
  const needsReconnect = connection.needs_reconnect || !hasValidCredentials(connection, now);
  return {
    id: connection.id,
    platform: connection.platform,
    profile_id: connection.profile_id,
    profile_name: profileName,
    platform_user_id: connection.platform_user_id,
    display_name: connection.display_name,
    username: connection.username,
    avatar_url: connection.avatar_url,
    active: !needsReconnect,
    scopes: connection.scopes,
    token_expires_at: toIsoOrNull(connection.token_expires_at),
    connected_at: toIso(connection.connected_at),
    needs_reconnect: needsReconnect,
    default_target_id: connection.default_target_id ?? null,
    needs_target: connection.needs_target,
    way: connection.way,
    own_app: connection.app !== undefined,
    warnings: needsReconnect ? [] : warningsOf(connection, now),
  };
}

function warningsOf(connection: Connection, now: number) {
  const end = expiresSoon(connection, now)
    ? (toIsoOrNull(connection.token_expires_at) ?? '')
    : grantEndsSoon(connection, now);
  if (end === null) return [];
  const message = `The credentials expire at ${end} and cannot be renewed: reconnect the account before then`;
  return [{ code: 'EXPIRES_SOON' as const, message }];
}

/** Returns the end of a grant that ends within two weeks by itself; null for others. */
function grantEndsSoon({ attributes }: Connection, now: number): string | null {
  const end = attributes[GRANT_ENDS_AT];
  return end !== undefined && Date.parse(end) - now <= GRANT_NOTICE_MS ? end : null;
}
