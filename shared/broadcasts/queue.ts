import { ENV } from '../aws/env.ts';
import { isMappingOff, turnOnMapping } from '../aws/lambda.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';

/**
 * Has the controller's queue polled from the first broadcast on: until then, polling it would only cost. Never throws: the
 * sweeper does the same when it finds a broadcast overdue.
 */
export async function openBroadcastQueue({ lambda, setting }: Services): Promise<void> {
  const uuid = setting(ENV.broadcastMapping);
  try {
    if ((await isMappingOff(lambda, uuid)) && (await turnOnMapping(lambda, uuid)))
      log.info('Turned on the queue of broadcasts');
  } catch (error) {
    log.warn('Could not turn on the queue of broadcasts; the sweeper will', describeError(error));
  }
}
