import { notFound } from '../../shared/http/errors.ts';
import type { Connection } from '../../shared/model/profile.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { listConnections } from '../../shared/store/connections.ts';

/** The caller's account of this id. Throws 404, also for one of another workspace. */
export async function findAccount(services: Services, principal: Principal, id: string): Promise<Connection> {
  const accounts = await listConnections(services.table, principal.workspace_id);
  const connection = accounts.find(each => each.id === id);
  if (!connection) throw notFound('Account');
  return connection;
}
