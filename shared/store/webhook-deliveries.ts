import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { idsFrom } from '../model/id.ts';
import { DeliverySchema, type Attempt, type Delivery } from '../model/webhook.ts';
import { DAY, MINUTE } from '../time/instant.ts';
import { KeySchema } from './query.ts';
import { ttl, wakeShard, writeIfUnchanged, type Key, type Table } from './table.ts';

/** How long deliveries are kept, milliseconds. DynamoDB's TTL removes them later. */
export const DELIVERY_RETENTION = 30 * DAY;
/** How long after its due time the sweeper treats a delivery as overdue. */
export const WAKE_GRACE = 2 * MINUTE;

/** Identifies a delivery. It does not name the workspace: look up the webhook in the caller's workspace first. */
export interface DeliveryRef {
  webhook_id: string;
  delivery_id: string;
}

const PARTITION = 'WEBHOOK#';
const PREFIX = 'DELIVERY#';

const deliveryKey = (ref: DeliveryRef): Key => ({
  PK: PARTITION + ref.webhook_id,
  SK: PREFIX + ref.delivery_id,
});

/** Returns the delivery that a key of the wake index names; null for a key of another aggregate. */
export function deliveryOfKey(key: Key): DeliveryRef | null {
  if (!key.PK.startsWith(PARTITION) || !key.SK.startsWith(PREFIX)) return null;
  return { webhook_id: key.PK.slice(PARTITION.length), delivery_id: key.SK.slice(PREFIX.length) };
}

/** Reads a delivery as it is stored. */
const StoredDeliverySchema = v.pipe(
  v.looseObject(KeySchema.entries),
  v.transform(({ PK, SK, ...item }): Delivery =>
    v.parse(DeliverySchema, { redelivery_of: null, ...deliveryOfKey({ PK, SK }), ...item }),
  ),
);

/** Stores a new delivery that is due now. Returns false when it exists, stored by an earlier run of the same event. */
export const createDelivery = (table: Table, delivery: Delivery): Promise<boolean> =>
  putDelivery(table, delivery, delivery.created_at + WAKE_GRACE);

/** Stores a new delivery with its first attempt. Returns false when it exists: the event was processed twice. */
export const createAttempted: RecordAttempt = (table, delivery, attempt, { wake_at, ...state }) =>
  putDelivery(table, { ...delivery, ...state, attempts: [attempt] }, wake_at);

/** It is in the wake index unless `wakeAt` is null. What its keys say is left out, so that most take one write unit. */
function putDelivery(table: Table, delivery: Delivery, wakeAt: number | null): Promise<boolean> {
  const { delivery_id: _, webhook_id: __, redelivery_of, ...kept } = delivery;
  const indexed = wakeAt === null ? {} : { wake_shard: wakeShard(delivery.delivery_id), wake_at: wakeAt };
  return writeIfUnchanged(() =>
    table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: {
          ...deliveryKey(delivery),
          ...kept,
          ...(redelivery_of === null ? {} : { redelivery_of }),
          ...indexed,
          expires_at: ttl(delivery.created_at + DELIVERY_RETENTION),
        },
        ConditionExpression: 'attribute_not_exists(PK)',
      }),
    ),
  );
}

/** `consistent`: false where what was written a moment ago may be missed; half the price. */
export async function getDelivery(
  table: Table,
  ref: DeliveryRef,
  { consistent = true } = {},
): Promise<Delivery | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: deliveryKey(ref), ConsistentRead: consistent }),
  );
  return Item ? v.parse(StoredDeliverySchema, Item) : null;
}

/**
 * Returns at most `limit` deliveries of a webhook, newest first. `before`: the last id of the previous page; `since`: the
 * time of the oldest ones to return (epoch milliseconds).
 */
export async function listDeliveries(
  table: Table,
  webhookId: string,
  limit: number,
  before: string | null,
  since = 0,
): Promise<{ deliveries: Delivery[]; more: boolean }> {
  const oldest = idsFrom(since);
  // DynamoDB rejects a start key outside the range.
  if (before !== null && before < oldest) return { deliveries: [], more: false };
  const { Items, LastEvaluatedKey } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'PK = :pk AND SK BETWEEN :oldest AND :newest',
      ExpressionAttributeValues: {
        ':pk': PARTITION + webhookId,
        ':oldest': PREFIX + oldest,
        ':newest': `${PREFIX}g`,
      },
      ScanIndexForward: false,
      // One more than the page, so that the last page has no cursor.
      Limit: limit + 1,
      ...(before === null
        ? {}
        : { ExclusiveStartKey: deliveryKey({ webhook_id: webhookId, delivery_id: before }) }),
    }),
  );
  const deliveries = v.parse(v.array(StoredDeliverySchema), Items ?? []);
  // DynamoDB ends a page at 1 MB, too.
  const more = deliveries.length > limit || LastEvaluatedKey !== undefined;
  return { deliveries: deliveries.slice(0, limit), more };
}

/** The state of a delivery after an attempt. `wake_at` is null exactly when the status is final. */
export type Progress =
  | { status: 'pending'; next_attempt_at: number; wake_at: number }
  | { status: 'delivered' | 'failed'; next_attempt_at: null; wake_at: null };

/** Stores an attempt and what follows. Returns false when another run of the same message has stored one. */
export type RecordAttempt = (
  table: Table,
  delivery: Delivery,
  attempt: Attempt,
  next: Progress,
) => Promise<boolean>;

/**
 * Records an attempt on the condition that none was recorded since `delivery` was read. Returns false otherwise: the message
 * was processed twice, and the other attempt decides.
 */
export const recordAttempt: RecordAttempt = (table, delivery, attempt, next) => {
  const wake =
    next.wake_at === null
      ? { expression: ' REMOVE wake_at, wake_shard', values: {} }
      : {
          expression: ', wake_at = :wake, wake_shard = :shard',
          values: { ':wake': next.wake_at, ':shard': wakeShard(delivery.delivery_id) },
        };
  return writeIfUnchanged(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: deliveryKey(delivery),
        UpdateExpression:
          'SET attempts = list_append(attempts, :attempt), #status = :status, next_attempt_at = :next' +
          wake.expression,
        ConditionExpression: '#status = :pending AND size(attempts) = :count',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':attempt': [attempt],
          ':status': next.status,
          ':next': next.next_attempt_at,
          ':pending': 'pending',
          ':count': delivery.attempts.length,
          ...wake.values,
        },
      }),
    ),
  );
};
