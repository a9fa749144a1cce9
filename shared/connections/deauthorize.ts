import type { Connection } from '../model/profile.ts';
import type { Services } from '../runtime/services.ts';
import { markNeedsReconnect } from '../store/connections.ts';
import { deleteTargets } from '../store/targets.ts';

/** Marks an account whose user removed the app at the platform, and deletes the tokens of its targets. Safe to repeat. */
export async function deauthorizeAccount(services: Services, connection: Connection): Promise<void> {
  const outbox = { at: services.now(), message: 'The user removed the app at the platform' };
  await markNeedsReconnect(services.table, connection, outbox);
  await deleteTargets(services.table, connection);
}
