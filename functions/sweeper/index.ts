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
import { copyOfKey } from '../../shared/store/copies.ts';
import { connectionOfKey } from '../../shared/store/connections.ts';
import { postOfKey } from '../../shared/store/posts.ts';
import { WAKE_SHARDS, type Key } from '../../shared/store/table.ts';
import { dueInShard, postponeWake } from '../../shared/store/wake.ts';
import { deliveryOfKey } from '../../shared/store/webhooks.ts';

/** Most items a shard hands out in one sweep; what is left is longest overdue in the next. */
const PER_SHARD = 500;

const shared = services();

/** Every minute: whatever should have moved by now and did not gets its to-do note again. */
export async function handler(): Promise<void> {
  const shards = Array.from({ length: WAKE_SHARDS }, (_, shard) => shard);
  const swept = await Promise.all(shards.map(shard => sweepShard(shared, shard)));
  const count = swept.reduce((sum, each) => sum + each, 0);
  // Also when there are none: their absence says that there are no sweeps.
  countOverdue(count);
}

async function sweepShard(run: Services, shard: number): Promise<number> {
  const keys = await dueInShard(run.table, shard, run.now(), PER_SHARD);
  for (const key of keys) await wakeAlone(run, key);
  return keys.filter(isOverdue).length;
}

/**
 * Keys whose looks say nothing of work undone. Planned are those at a copy of a file, when its post should be done with it,
 * and at an account, when its token is to be renewed; of webhook deliveries many may wait when receivers are down for long.
 * Posts are counted by the dispatcher, which sees how far they are.
 */
const NOT_COUNTED = [postOfKey, copyOfKey, connectionOfKey, deliveryOfKey];

const isOverdue = (key: Key) => NOT_COUNTED.every(refOf => refOf(key) === null);

/** An item that cannot be woken keeps no other from it, and is due again in the next sweep. */
async function wakeAlone(run: Services, key: Key): Promise<void> {
  try {
    await wake(run, key);
  } catch (error) {
    log.error('An overdue item was not woken', { sort_key: key.SK, ...describeError(error) });
  }
}

async function wake(run: Services, key: Key): Promise<void> {
  const post = postOfKey(key);
  // The dispatcher sets the post's next look itself: it knows how long the post may wait.
  if (post) return sendDispatchMessage(run, post, run.now());
  const send = noteFor(run, key);
  if (await postponeWake(run.table, key, run.now() + WAKE_GRACE_MS)) await send();
}

/** Who is told of a key's item, beside the dispatcher. */
function noteFor(run: Services, key: Key): () => Promise<void> {
  const delivery = deliveryOfKey(key);
  if (delivery) return () => sendEventMessage(run, deliveryMessage(delivery));
  const media = mediaMessageOfKey(key);
  if (media) return () => sendMediaMessage(run, media);
  const message = housekeepingOfKey(key);
  if (message) return () => sendHousekeepingMessage(run, message);
  throw new Error(`The wake index holds a key of no known kind: ${key.SK.split('#')[0] ?? ''}`);
}
