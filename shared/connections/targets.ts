import { ENV } from '../aws/env.ts';
import { loadPlatformApp } from '../aws/platform-app.ts';
import type { Connection } from '../model/profile.ts';
import type { Target } from '../platforms/contract/connector.ts';
import { CONNECTORS } from '../platforms/registry.ts';
import type { Services } from '../runtime/services.ts';
import { loadFreshAccount, withConnectContext } from './credentials.ts';

/** Where posts of an account may go, as the platform says it now. Throws PlatformError. */
export async function listTargets(services: Services, connection: Connection): Promise<Target[]> {
  const targets = CONNECTORS[connection.platform]?.targets;
  if (!targets) return [];
  const account = await loadFreshAccount(services, connection);
  const app = await loadPlatformApp(services.ssm, services.setting(ENV.parameterPrefix), connection.platform);
  const { credentials } = account;
  const { attributes } = account.connection;
  return withConnectContext(services, connection, context =>
    targets({ credentials, attributes, app }, context),
  );
}
