import type { Connection } from '../model/profile.ts';
import type { Services } from '../runtime/services.ts';
import { dropCredentials, markNeedsReconnect } from '../store/connections.ts';
import { deleteTargets } from '../store/targets.ts';
import { sealCredentials } from './load.ts';

/** Marks an account whose user removed the app at the platform, and deletes its tokens. Safe to repeat. */
export async function deauthorizeAccount(services: Services, connection: Connection): Promise<void> {
  const outbox = { at: services.now(), message: 'The user removed the app at the platform' };
  await markNeedsReconnect(services.table, connection, outbox);
  await dropCredentials(services.table, connection, await sealCredentials(services, connection.id, {}));
  await deleteTargets(services.table, connection);
}
