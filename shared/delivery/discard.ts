import type { DestinationOf, StoredCheckpoint } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import { describeError, log } from '../runtime/log.ts';
import { saveDestination } from '../store/posts.ts';
import { checkpointStore, type CheckpointStore } from './checkpoints.ts';
import { openDeliveryContext } from './context.ts';
import type { DeliveryRun } from './run.ts';
import { discarded } from './transitions.ts';

/**
 * Deletes what a failed attempt left at the platform, then the checkpoint that names it. A worker that dies in between
 * is followed by one that repeats it. Its failure is logged and not retried. Returns the post after the write, or null
 * when another worker changed the destination.
 */
export async function discardAbandoned(
  run: DeliveryRun,
  post: Post,
  destination: DestinationOf<'failed'>,
): Promise<Post | null> {
  const { services, publishers } = run;
  const sealed = publishers[destination.platform]?.sealed ?? false;
  const checkpoints = checkpointStore(services, post, destination.platform, { sealed });
  try {
    if (destination.abandoned) await discard(run, post, destination, destination.abandoned, checkpoints);
  } catch (error) {
    log.warn('Could not discard an abandoned attempt', {
      post_id: post.post_id,
      platform: destination.platform,
      ...describeError(error),
    });
  }
  const after = await saveDestination(services.table, post, destination, discarded(destination));
  if (after) await checkpoints.prune(null);
  return after;
}

async function discard(
  run: DeliveryRun,
  post: Post,
  destination: DestinationOf<'failed'>,
  abandoned: StoredCheckpoint,
  checkpoints: CheckpointStore,
): Promise<void> {
  const checkpoint = await checkpoints.load(abandoned);
  const context = checkpoint && (await openDeliveryContext(run, post, destination));
  if (!context) return;
  try {
    const { discard: discardAt, accepts } = context.publisher;
    if (discardAt && accepts(checkpoint)) await discardAt(await context.context(null), checkpoint);
  } finally {
    context.close();
  }
}
