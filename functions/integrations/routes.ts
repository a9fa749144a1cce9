import type { Route } from '../../shared/http/route.ts';
import { LOOKUPS } from '../../shared/platforms/registry/lookups.ts';
import { callback } from './callback.ts';
import { connect } from './connect.ts';
import { deleteData } from './delete-data.ts';
import { deauthorize } from './deauthorize.ts';
import { deletionStatus } from './deletion-status.ts';
import { disconnect } from './disconnect.ts';
import { listAccounts } from './list.ts';
import { lookupRoutes } from './lookups.ts';
import { listTargets } from './targets.ts';
import { updateAccount } from './update.ts';

/** One route per row. */
export const routes: readonly Route[] = [
  listAccounts,
  connect,
  callback,
  deauthorize,
  deleteData,
  deletionStatus,
  listTargets,
  updateAccount,
  disconnect,
  ...lookupRoutes(LOOKUPS),
];
