import { sendBroadcastMessage } from '../../shared/broadcasts/messages.ts';
import { openBroadcastQueue } from '../../shared/broadcasts/queue.ts';
import { sendDispatchMessage } from '../../shared/delivery/messages.ts';
import { deliveryMessage } from '../../shared/events/messages.ts';
import { sendEventMessage } from '../../shared/events/publish.ts';
import { housekeepingOfKey, startHousekeeping, WAKE_GRACE_MS } from '../../shared/housekeeping/work.ts';
import { mediaWorkOfKey, startMediaWork } from '../../shared/media/work.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { broadcastOfKey } from '../../shared/store/broadcasts.ts';
import { copyOfKey } from '../../shared/store/copies.ts';
import { connectionOfKey } from '../../shared/store/connections.ts';
import { postOfKey } from '../../shared/store/post-item.ts';
import { WAKE_SHARDS, type Key } from '../../shared/store/table.ts';
import { dueItemsInShard, postponeWake, type DueItem } from '../../shared/store/wake.ts';
import { uploadOfKey } from '../../shared/store/uploads.ts';
import { deliveryOfKey } from '../../shared/store/webhook-deliveries.ts';
import { MINUTE } from '../../shared/time/instant.ts';

/** Maximum items of a shard in one sweep. The rest is first in the next sweep. */
const PER_SHARD = 500;

/** Starts the work again on every item in the wake index that is due. Returns the number of overdue items. */
export async function wakeItems(run: Services): Promise<number> {
  const shards = Array.from({ length: WAKE_SHARDS }, (_, shard) => shard);
  const swept = await Promise.all(shards.map(shard => sweepShard(run, shard)));
  return swept.reduce((sum, each) => sum + each, 0);
}

async function sweepShard(run: Services, shard: number): Promise<number> {
  const now = run.now();
  const items = await dueItemsInShard(run.table, shard, now, PER_SHARD);
  for (const { key } of items) await tryWake(run, key);
  return items.filter(item => isOverdue(item.key) || isUndispatched(item, now)).length;
}

/**
 * Kinds of items that the sweeper does not count as overdue. Copies, uploads and connections wake as planned (a copy when
 * its post should be done with it, an upload when it ends, a connection when its token is due for renewal), and webhook deliveries wait while their
 * receivers are down. The dispatcher counts overdue posts, because it reads how far they are.
 */
const NOT_COUNTED = [postOfKey, copyOfKey, uploadOfKey, connectionOfKey, deliveryOfKey];

const isOverdue = (key: Key) => NOT_COUNTED.every(refOf => refOf(key) === null);

/** How long a post may be due: the dispatcher, which counts overdue posts, sets its next `wake_at` as soon as it reads it. */
const DISPATCH_MS = 5 * MINUTE;

/** True for a post that earlier sweeps have woken: the dispatcher does not keep up, or does not run. */
const isUndispatched = ({ key, wake_at }: DueItem, now: number) =>
  postOfKey(key) !== null && now - wake_at > DISPATCH_MS;

/** Logs a failure, so that it does not affect other items; the item is due again in the next sweep. */
async function tryWake(run: Services, key: Key): Promise<void> {
  try {
    await wake(run, key);
  } catch (error) {
    log.error('Could not wake an item', { sort_key: key.SK, ...describeError(error) });
  }
}

async function wake(run: Services, key: Key): Promise<void> {
  const post = postOfKey(key);
  // The dispatcher sets the next `wake_at` of a post, because it reads how long the post must wait.
  if (post) return sendDispatchMessage(run, post, run.now());
  const start = starterFor(run, key);
  if (await postponeWake(run.table, key, run.now() + WAKE_GRACE_MS)) await start();
}

/** Returns the function that starts the work on an item that is not a post. */
function starterFor(run: Services, key: Key): () => Promise<void> {
  const delivery = deliveryOfKey(key);
  if (delivery) return () => sendEventMessage(run, deliveryMessage(delivery));
  const broadcast = broadcastOfKey(key);
  if (broadcast) {
    const { workspace_id, id } = broadcast;
    return async () => {
      await openBroadcastQueue(run);
      await sendBroadcastMessage(run, { workspace_id, broadcast_id: id }, run.now());
    };
  }
  const media = mediaWorkOfKey(key);
  if (media) return () => startMediaWork(run, media);
  const housekeeping = housekeepingOfKey(key);
  if (housekeeping) return () => startHousekeeping(run, housekeeping);
  throw new Error(`Unknown kind of key in the wake index: ${key.SK.split('#')[0] ?? ''}`);
}
