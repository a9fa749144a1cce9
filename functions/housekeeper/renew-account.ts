import { renewIfDue } from '../../shared/connections/renew.ts';
import { PlatformError } from '../../shared/platforms/contract/error.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getConnection, type ConnectionRef } from '../../shared/store/connections.ts';

/**
 * Renews credentials before they expire, so that no post waits for it and a revoked grant is known before a post needs
 * it. After a transient failure the next sweep tries again.
 */
export async function renewAhead(services: Services, ref: ConnectionRef): Promise<void> {
  const { workspace_id, profile_id, platform } = ref;
  const connection = await getConnection(services.table, workspace_id, profile_id, platform);
  if (!connection) return;
  try {
    await renewIfDue(services, connection);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    log.warn('Could not renew an account ahead of time', { platform, ...describeError(error) });
  }
}
