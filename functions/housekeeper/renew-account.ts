import { expiresSoon, renewIfDue } from '../../shared/connections/renew.ts';
import { ENV } from '../../shared/aws/env.ts';
import { disconnectedEvent, type Disconnection } from '../../shared/events/account.ts';
import { sendEvents } from '../../shared/events/publish.ts';
import type { Connection } from '../../shared/model/profile.ts';
import { PlatformError } from '../../shared/platforms/contract/error.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import type { Services } from '../../shared/runtime/services.ts';
import {
  endWakes,
  EXPIRY_NOTICE_MS,
  getConnection,
  type ConnectionRef,
} from '../../shared/store/connections.ts';
import { getProfile } from '../../shared/store/profiles.ts';

/**
 * Renews credentials before they expire, so that no post waits for it, and notifies the owner of an account that must be
 * reconnected before a post fails. After a transient failure the next sweep tries again.
 */
export async function renewAhead(services: Services, ref: ConnectionRef): Promise<void> {
  const { workspace_id, profile_id, platform } = ref;
  const connection = await getConnection(services.table, workspace_id, profile_id, platform);
  if (!connection) return;
  const disconnection = disconnectionOf(connection, services.now());
  if (disconnection) return notify(services, connection, disconnection);
  try {
    await renewIfDue(services, connection);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    log.warn('Could not renew an account ahead of time', { platform, ...describeError(error) });
  }
}

/** Returns why an account needs its owner, or null. The time is stored, so that a repeated event is the same. */
function disconnectionOf(connection: Connection, now: number): Disconnection | null {
  const { needs_reconnect, outbox, token_expires_at } = connection;
  if (needs_reconnect) return outbox ? { reason: 'revoked', ...outbox } : null;
  if (token_expires_at === null || !expiresSoon(connection, now)) return null;
  return {
    reason: 'expires_soon',
    at: token_expires_at - EXPIRY_NOTICE_MS,
    message: 'The credentials expire soon and cannot be renewed',
  };
}

/** Sends account.disconnected and ends the wake-ups of the connection. A repetition after a crash sends the same event. */
async function notify(
  services: Services,
  connection: Connection,
  disconnection: Disconnection,
): Promise<void> {
  const { workspace_id, profile_id } = connection;
  const profile = await getProfile(services.table, workspace_id, profile_id);
  if (!profile) return;
  const settings = { publicUrl: services.setting(ENV.publicUrl) };
  const event = disconnectedEvent(connection, profile.profile_name, disconnection, settings);
  await sendEvents(services, [event], workspace_id);
  await endWakes(services.table, connection);
}
