import { openAccount, renewAccount } from '../../shared/connections/credentials.ts';
import { WAKE_GRACE_MS } from '../../shared/housekeeping/messages.ts';
import { PlatformError } from '../../shared/platforms/contract/error.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getConnection, type ConnectionRef } from '../../shared/store/connections.ts';

/**
 * Renews credentials ahead of their end, so that no post waits for it and a dead grant is known before a post meets
 * it. What fails for now is tried again at the sweeper's next look.
 */
export async function renewAhead(services: Services, ref: ConnectionRef): Promise<void> {
  const { workspace_id, profile_id, platform } = ref;
  const connection = await getConnection(services.table, workspace_id, profile_id, platform);
  if (!connection || connection.needs_reconnect) return;
  // A renewal since the sweeper's look moved the next one far ahead: this note is old.
  if ((connection.wake_at ?? Infinity) > services.now() + WAKE_GRACE_MS) return;
  try {
    await renewAccount(services, await openAccount(services, connection));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    log.warn('An account could not be renewed ahead of time', { platform, ...describeError(error) });
  }
}
