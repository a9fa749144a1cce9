import type { Route } from '../../shared/http/route.ts';
import { callback } from './callback.ts';
import { connect } from './connect.ts';
import { disconnect } from './disconnect.ts';
import { listAccounts } from './list.ts';
import { listTargets } from './targets.ts';
import { updateAccount } from './update.ts';

/** One row an endpoint. */
export const routes: readonly Route[] = [
  listAccounts,
  connect,
  callback,
  listTargets,
  updateAccount,
  disconnect,
];
