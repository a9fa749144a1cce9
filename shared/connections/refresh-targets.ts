import type { Connection } from '../model/profile.ts';
import { targetModeOf, type Target } from '../platforms/contract/connector.ts';
import { connectorOf } from './connector.ts';
import type { Services } from '../runtime/services.ts';
import { setDefaultTarget } from '../store/connections.ts';
import { replaceTargets } from '../store/targets.ts';
import { sealTarget, toConnectedAccount } from './load.ts';
import { withConnectContext } from './platform-context.ts';
import { loadFreshAccount } from './renew.ts';

/**
 * Lists the targets of an account at the platform and stores them with their secrets sealed. A default target that is
 * gone is unset; where posts need a target and there is exactly one, it becomes the default. Throws PlatformError.
 */
export async function refreshTargets(
  services: Services,
  connection: Connection,
): Promise<{ targets: Target[]; connection: Connection }> {
  const listTargets = (await connectorOf(connection.platform))?.listTargets;
  if (!listTargets) return { targets: [], connection };
  const account = await loadFreshAccount(services, connection);
  const targets = await withConnectContext(services, connection.platform, context =>
    listTargets(toConnectedAccount(account), context),
  );
  const stored = await Promise.all(targets.map(target => sealTarget(services, connection, target)));
  await replaceTargets(services.table, connection, stored);
  return { targets, connection: await updateDefault(services, account.connection, targets) };
}

async function updateDefault(
  services: Services,
  connection: Connection,
  targets: readonly Target[],
): Promise<Connection> {
  const choice = choiceOf(connection, targets, await needsTarget(connection));
  const isSame =
    choice.default_target_id === (connection.default_target_id ?? null) &&
    choice.needs_target === connection.needs_target;
  if (!isSame) await setDefaultTarget(services.table, connection, choice);
  return { ...connection, ...choice };
}

function choiceOf(connection: Connection, targets: readonly Target[], isRequired: boolean) {
  const chosen = targets.find(({ id }) => id === connection.default_target_id)?.id ?? null;
  if (!isRequired) return { default_target_id: chosen, needs_target: false };
  const [first, ...others] = targets;
  const only = first && others.length === 0 ? first.id : null;
  const default_target_id = chosen ?? only;
  return { default_target_id, needs_target: default_target_id === null };
}

/** True where posts of the account cannot do without a target. */
export async function needsTarget({ platform, way }: Pick<Connection, 'platform' | 'way'>): Promise<boolean> {
  const connector = await connectorOf(platform);
  return connector !== undefined && targetModeOf(connector, way) === 'required';
}
