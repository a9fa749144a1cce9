import type { Connection } from '../model/profile.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import { connectorOf } from './connector.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { saveFacts, setAttributes } from '../store/connections.ts';
import { toConnectedAccount } from './load.ts';
import { withConnectContext } from './platform-context.ts';
import { loadFreshAccount } from './renew.ts';

/**
 * Returns the connection with facts that are no older than the platform allows, read again where they are. When that
 * fails, the connection is returned as it is: stale facts never block validation or publishing.
 */
export async function withFreshFacts(services: Services, connection: Connection): Promise<Connection> {
  const facts = (await connectorOf(connection.platform))?.facts;
  if (!facts || (connection.facts_at ?? 0) + facts.max_age_ms > services.now()) return connection;
  try {
    const account = await loadFreshAccount(services, connection);
    const { attributes, account: identity = {} } = await withConnectContext(
      services,
      connection.platform,
      context => facts.read(toConnectedAccount(account), context),
    );
    const read = {
      ...identity,
      attributes: { ...account.connection.attributes, ...attributes },
      facts_at: services.now(),
    };
    await saveFacts(services.table, connection, read);
    return { ...account.connection, ...read };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    log.warn('Could not refresh account facts', { platform: connection.platform, ...describeError(error) });
    return connection;
  }
}

/**
 * Stores attributes that the platform has changed. A failure is only logged: the platform names them again with the next
 * post.
 */
export async function saveAttributes(
  { table }: Services,
  connection: Connection,
  changed: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    await setAttributes(table, connection, { ...connection.attributes, ...changed });
  } catch (error) {
    log.warn('Could not store changed attributes of an account', {
      platform: connection.platform,
      ...describeError(error),
    });
  }
}
