import { toConnectedAccount, type LoadedAccount } from '../connections/load.ts';
import { withConnectContext } from '../connections/platform-context.ts';
import { loadFreshAccount, renewAccount } from '../connections/renew.ts';
import type { Broadcast } from '../model/broadcast.ts';
import type { Connection } from '../model/profile.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import type { LiveCalls, LivePlatform } from '../platforms/contract/live.ts';
import { LOAD_LIVE } from '../platforms/registry/load-live.ts';
import { openQuota } from '../quota/quota.ts';
import type { Services } from '../runtime/services.ts';
import { getConnection } from '../store/connections.ts';

/** The platform of all live broadcasts. */
export const LIVE_PLATFORM = 'youtube';

/** Makes one call to the platform. Credentials that it refuses are renewed and the call is repeated, once. */
export type Call = <T>(request: (calls: LiveCalls) => Promise<T>) => Promise<T>;

export async function livePlatform(): Promise<LivePlatform> {
  const platform = await LOAD_LIVE[LIVE_PLATFORM]?.();
  if (!platform) throw new Error(`${LIVE_PLATFORM} takes no live broadcasts`);
  return platform;
}

/** Thrown where the account of a broadcast was disconnected: nothing can be done at the platform any more. */
export class AccountGone extends PlatformError {
  constructor() {
    super({ kind: 'token_expired', code: 'TOKEN_EXPIRED', message: 'The account was disconnected' });
  }
}

/** Runs `use` with calls for the account of a broadcast, which is loaded at the first one. They throw PlatformError. */
export function withAccount<T>(
  services: Services,
  live: LivePlatform,
  owner: Pick<Broadcast, 'workspace_id' | 'profile_id' | 'social_account_id'>,
  use: (call: Call) => Promise<T>,
): Promise<T> {
  return withConnectContext(services, LIVE_PLATFORM, context => {
    let loading: Promise<LoadedAccount> | null = null;
    const open = ({ connection, ...rest }: LoadedAccount): LiveCalls => {
      const ofAccount = { app: rest.app, account_id: connection.platform_user_id };
      const quota = openQuota(services, ofAccount, LIVE_PLATFORM);
      return live.open(toConnectedAccount({ connection, ...rest }), { ...context, quota });
    };
    return use(async request => {
      loading ??= loadAccount(services, owner);
      const account = await loading;
      try {
        return await request(open(account));
      } catch (error) {
        if (!(error instanceof PlatformError) || error.kind !== 'token_expired') throw error;
        loading = renewAccount(services, account, error);
        return request(open(await loading));
      }
    });
  });
}

async function loadAccount(
  services: Services,
  owner: Pick<Broadcast, 'workspace_id' | 'profile_id' | 'social_account_id'>,
): Promise<LoadedAccount> {
  return loadFreshAccount(services, await connectionOf(services, owner));
}

async function connectionOf(
  { table }: Services,
  { workspace_id, profile_id, social_account_id }: Parameters<typeof loadAccount>[1],
): Promise<Connection> {
  const connection = await getConnection(table, workspace_id, profile_id, LIVE_PLATFORM);
  if (connection?.id !== social_account_id) throw new AccountGone();
  return connection;
}
