import { sendBroadcastMessage } from '../../shared/broadcasts/messages.ts';
import { sendDispatchMessage } from '../../shared/delivery/messages.ts';
import { deliveryMessage } from '../../shared/events/messages.ts';
import { sendEventMessage } from '../../shared/events/publish.ts';
import {
  housekeepingOfKey,
  sendHousekeepingMessage,
  WAKE_GRACE_MS,
} from '../../shared/housekeeping/messages.ts';
import { mediaMessageOfKey, sendMediaMessage } from '../../shared/media/messages.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import { countOverdue } from '../../shared/runtime/metrics.ts';
import { services, type Services } from '../../shared/runtime/services.ts';
import { broadcastOfKey } from '../../shared/store/broadcasts.ts';
import { copyOfKey } from '../../shared/store/copies.ts';
import { connectionOfKey } from '../../shared/store/connections.ts';
import { postOfKey } from '../../shared/store/posts.ts';
import { WAKE_SHARDS, type Key } from '../../shared/store/table.ts';
import { dueInShard, postponeWake } from '../../shared/store/wake.ts';
import { uploadOfKey } from '../../shared/store/uploads.ts';
import { deliveryOfKey } from '../../shared/store/webhooks.ts';

/** Maximum items of a shard in one sweep. The rest is first in the next sweep. */
const PER_SHARD = 500;

const shared = services();

/** Runs every minute: sends the queue message again for every item in the wake index that is due. */
export async function handler(): Promise<void> {
  const shards = Array.from({ length: WAKE_SHARDS }, (_, shard) => shard);
  const swept = await Promise.all(shards.map(shard => sweepShard(shared, shard)));
  const count = swept.reduce((sum, each) => sum + each, 0);
  // Publishes zero too: missing data means that the sweeper does not run.
  countOverdue(count);
}

async function sweepShard(run: Services, shard: number): Promise<number> {
  const keys = await dueInShard(run.table, shard, run.now(), PER_SHARD);
  for (const key of keys) await tryWake(run, key);
  return keys.filter(isOverdue).length;
}

/**
 * Kinds of items that the sweeper does not count as overdue. Copies, uploads and connections wake as planned (a copy when
 * its post should be done with it, an upload when it ends, a connection when its token is due for renewal), and webhook deliveries wait while their
 * receivers are down. The dispatcher counts overdue posts, because it reads how far they are.
 */
const NOT_COUNTED = [postOfKey, copyOfKey, uploadOfKey, connectionOfKey, deliveryOfKey];

const isOverdue = (key: Key) => NOT_COUNTED.every(refOf => refOf(key) === null);

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
  const send = senderFor(run, key);
  if (await postponeWake(run.table, key, run.now() + WAKE_GRACE_MS)) await send();
}

/** Returns the function that sends the message for an item that is not a post. */
function senderFor(run: Services, key: Key): () => Promise<void> {
  const delivery = deliveryOfKey(key);
  if (delivery) return () => sendEventMessage(run, deliveryMessage(delivery));
  const broadcast = broadcastOfKey(key);
  if (broadcast) {
    const { workspace_id, id } = broadcast;
    return () => sendBroadcastMessage(run, { workspace_id, broadcast_id: id }, run.now());
  }
  const media = mediaMessageOfKey(key);
  if (media) return () => sendMediaMessage(run, media);
  const message = housekeepingOfKey(key);
  if (message) return () => sendHousekeepingMessage(run, message);
  throw new Error(`Unknown kind of key in the wake index: ${key.SK.split('#')[0] ?? ''}`);
}
