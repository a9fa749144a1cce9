import { ENV } from '../aws/env.ts';
import { isFinal, pendingFollowUps, type Destination } from '../model/destination.ts';
import { isListed } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import type { Services } from '../runtime/services.ts';
import { finish } from './dead-letters.ts';
import { platformDisabled } from './no-publisher.ts';
import type { Report } from './run.ts';
import { saveSwept, unsettled } from './sweep.ts';
import { discarded, givenUp } from './transitions.ts';

/**
 * Fails the destinations of a post whose platform the deployment no longer has: nothing consumes their messages. Returns the
 * post after the writes.
 */
export async function failDisabled(services: Services, post: Post, report?: Report): Promise<Post> {
  const disabled = services.setting(ENV.disabledPlatforms);
  let current = post;
  for (const destination of unsettled(post).filter(({ platform }) => isListed(disabled, platform))) {
    current = (await fail(services, current, destination, report)) ?? current;
  }
  return current;
}

async function fail(
  services: Services,
  post: Post,
  destination: Destination,
  report?: Report,
): Promise<Post | null> {
  const isOver = isFinal(destination) && pendingFollowUps(destination).length === 0;
  const why = platformDisabled(destination.platform);
  const end = isOver ? destination : givenUp(destination, why, services.now());
  // No publisher will discard what an attempt left at the platform.
  const next = end.status === 'failed' && end.abandoned ? discarded(end) : end;
  const after = next === destination ? post : await saveSwept(services, post, destination, next);
  if (!after) return null;
  if (next.status === 'failed' && !isOver) report?.(after, next);
  return finish(services, after, next);
}
