import { isMappingOff, turnOnMapping } from '../aws/lambda.ts';
import { ENV, publishMappingVariable } from '../aws/env.ts';
import { isListed, type PlatformId } from '../model/platform.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { settleAll } from '../runtime/settle-all.ts';
import { addConnectedPlatform, connectedPlatforms } from '../store/connected-platforms.ts';

/**
 * Has the publish queue of a platform polled from the first connection on: until then, polling it would only cost. Called
 * before the connection is stored, so that a crash leaves a polled queue rather than a connection whose posts wait.
 */
export async function openPublishQueue(services: Services, platform: PlatformId): Promise<void> {
  if (!(await addConnectedPlatform(services.table, platform))) return;
  try {
    await turnOnMapping(services.lambda, services.setting(publishMappingVariable(platform)));
  } catch (error) {
    log.warn('Could not turn on the publish queue; the sweeper will', { platform, ...describeError(error) });
  }
}

/**
 * Turns on the publish queues of connected platforms that are off: the request of the first connection may have failed, and
 * CloudFormation turns a mapping off when it updates it.
 */
export async function reopenPublishQueues(services: Services): Promise<void> {
  const disabled = services.setting(ENV.disabledPlatforms);
  const connected = await connectedPlatforms(services.table);
  const enabled = connected.filter(platform => !isListed(disabled, platform));
  await settleAll(enabled.map(platform => reopen(services, platform)));
}

async function reopen({ lambda, setting }: Services, platform: PlatformId): Promise<void> {
  const uuid = setting(publishMappingVariable(platform));
  if (!(await isMappingOff(lambda, uuid))) return;
  if (await turnOnMapping(lambda, uuid)) log.info('Turned on a publish queue', { platform });
}
