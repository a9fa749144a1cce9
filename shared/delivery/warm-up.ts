import type { Destination } from '../model/destination.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { SECOND } from '../time/instant.ts';
import { openDeliveryContext } from './context.ts';
import { sendWarmUp } from './messages.ts';
import type { DeliveryRun } from './run.ts';

/** How long before its commit a publisher is warmed up: longer than a cold start, shorter than an idle environment lasts. */
export const WARM_UP_MS = 5 * SECOND;

/** Until which second each platform was warmed up last, for the services of each environment. */
const lastSeconds = new WeakMap<Services, Map<PlatformId, number>>();

/**
 * Has the publisher of a waiting destination start before it is due. Posts that are due in the same second share one
 * warm-up. Never throws: without it, the post may be late by a cold start.
 */
export async function askForWarmUp(services: Services, post: Post, destination: Destination): Promise<void> {
  const at = post.due_at - WARM_UP_MS;
  if (at <= services.now() || !isFirstOfSecond(services, post, destination)) return;
  try {
    await sendWarmUp(services, post, destination, at);
  } catch (error) {
    log.warn('Could not ask for a warm-up', { post_id: post.post_id, ...describeError(error) });
  }
}

function isFirstOfSecond(services: Services, { due_at }: Post, { platform }: Destination): boolean {
  const seconds = lastSeconds.get(services) ?? new Map<PlatformId, number>();
  lastSeconds.set(services, seconds);
  const second = Math.floor(due_at / SECOND);
  if (seconds.get(platform) === second) return false;
  seconds.set(platform, second);
  return true;
}

/**
 * Opens the account of a destination, so that its commit finds clients that are connected, and keys and credentials that
 * are loaded and fresh. Never throws: whatever is wrong, the attempt finds out, too.
 */
export async function warmUp(run: DeliveryRun, post: Post, destination: Destination): Promise<void> {
  try {
    const context = await openDeliveryContext(run, post, destination);
    await context?.context(null).finally(() => context.close());
  } catch (error) {
    log.warn('Could not warm up', {
      post_id: post.post_id,
      platform: destination.platform,
      ...describeError(error),
    });
  }
}
