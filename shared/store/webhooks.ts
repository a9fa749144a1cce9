import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import {
  DeliverySchema,
  MAX_WEBHOOKS,
  WebhookSchema,
  type Attempt,
  type Delivery,
  type Webhook,
} from '../model/webhook.ts';
import { idsFrom } from '../model/id.ts';
import { DAY, MINUTE } from '../time/instant.ts';
import { holds, ttl, wakeShard, workspaceKey, type Key, type Table } from './table.ts';

/** How long the log of deliveries is kept, milliseconds. DynamoDB removes what is older in its own time. */
export const DELIVERY_KEPT = 30 * DAY;
/** When the sweeper looks after a delivery whose note is on the queue, counted from the time it is due. */
export const WAKE_GRACE = 2 * MINUTE;

/**
 * All webhooks of a workspace are one item: an event reads it once, and the limit is a condition on the size of its
 * map, exact under any concurrency. Ten of them stay far below DynamoDB's 400 KB.
 */
const webhooksKey = (workspaceId: string): Key => ({ PK: workspaceKey(workspaceId), SK: 'WEBHOOKS' });

const ItemSchema = v.object({ webhooks: v.record(v.string(), WebhookSchema) });

/** Stores a webhook, over an earlier run's of the same request. False when the workspace has as many as it may. */
export async function createWebhook(table: Table, webhook: Webhook): Promise<boolean> {
  const target = { TableName: table.name, Key: webhooksKey(webhook.workspace_id) };
  await table.client.send(
    new UpdateCommand({
      ...target,
      UpdateExpression: 'SET webhooks = if_not_exists(webhooks, :none)',
      ExpressionAttributeValues: { ':none': {} },
    }),
  );
  return holds(() =>
    table.client.send(
      new UpdateCommand({
        ...target,
        UpdateExpression: 'SET webhooks.#id = :webhook',
        ConditionExpression: 'size(webhooks) < :max OR attribute_exists(webhooks.#id)',
        ExpressionAttributeNames: { '#id': webhook.id },
        ExpressionAttributeValues: { ':webhook': webhook, ':max': MAX_WEBHOOKS },
      }),
    ),
  );
}

/** The webhooks of a workspace, oldest first. */
export async function listWebhooks(table: Table, workspaceId: string): Promise<Webhook[]> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: webhooksKey(workspaceId), ConsistentRead: true }),
  );
  if (!Item) return [];
  return Object.values(v.parse(ItemSchema, Item).webhooks).sort((a, b) => (a.id < b.id ? -1 : 1));
}

export async function getWebhook(table: Table, workspaceId: string, id: string): Promise<Webhook | null> {
  return (await listWebhooks(table, workspaceId)).find(webhook => webhook.id === id) ?? null;
}

/**
 * Sets fields of a webhook and gives it as it is then. Null when it does not exist, or when a field of `seen` is no longer
 * what it was.
 */
export async function updateWebhook(
  table: Table,
  workspaceId: string,
  id: string,
  changes: Partial<Webhook>,
  seen: Partial<Pick<Webhook, 'sealed_secret' | 'failing_since'>> = {},
): Promise<Webhook | null> {
  const fields = named('f', changes);
  const conditions = named('seen', seen);
  const command = new UpdateCommand({
    TableName: table.name,
    Key: webhooksKey(workspaceId),
    UpdateExpression: `SET ${fields.equations.join(', ')}`,
    ConditionExpression: ['attribute_exists(webhooks.#id)', ...conditions.equations].join(' AND '),
    ExpressionAttributeNames: { '#id': id, ...fields.names, ...conditions.names },
    ExpressionAttributeValues: { ...fields.values, ...conditions.values },
    ReturnValues: 'ALL_NEW',
  });
  let after: unknown;
  const held = await holds(async () => {
    after = (await table.client.send(command)).Attributes;
  });
  return held ? (v.parse(ItemSchema, after).webhooks[id] ?? null) : null;
}

/** Fields of the webhook `#id` and their values, as an expression writes them. */
function named(prefix: string, fields: Partial<Webhook>) {
  const entries = Object.entries(fields).map(([name, value], index) => ({
    as: `${prefix}${index}`,
    name,
    value,
  }));
  return {
    equations: entries.map(({ as }) => `webhooks.#id.#${as} = :${as}`),
    names: Object.fromEntries(entries.map(({ as, name }) => [`#${as}`, name])),
    values: Object.fromEntries(entries.map(({ as, value }) => [`:${as}`, value])),
  };
}

/** False when there is no such webhook. Its log of deliveries runs out by itself and cannot be reached any more. */
export function deleteWebhook(table: Table, workspaceId: string, id: string): Promise<boolean> {
  return holds(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: webhooksKey(workspaceId),
        UpdateExpression: 'REMOVE webhooks.#id',
        ConditionExpression: 'attribute_exists(webhooks.#id)',
        ExpressionAttributeNames: { '#id': id },
      }),
    ),
  );
}

/** What names a delivery. Whoever asks in a user's name has found the webhook in the user's workspace before. */
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

/** The delivery that a key of the wake index names; null when the key is another aggregate's. */
export function deliveryOfKey(key: Key): DeliveryRef | null {
  if (!key.PK.startsWith(PARTITION) || !key.SK.startsWith(PREFIX)) return null;
  return { webhook_id: key.PK.slice(PARTITION.length), delivery_id: key.SK.slice(PREFIX.length) };
}

/** Stores a new delivery, due at once. False when it exists: an earlier run of the same event got this far. */
export function createDelivery(table: Table, delivery: Delivery): Promise<boolean> {
  return holds(() =>
    table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: {
          ...deliveryKey(delivery),
          ...delivery,
          wake_shard: wakeShard(delivery.delivery_id),
          wake_at: delivery.created_at + WAKE_GRACE,
          expires_at: ttl(delivery.created_at + DELIVERY_KEPT),
        },
        ConditionExpression: 'attribute_not_exists(PK)',
      }),
    ),
  );
}

export async function getDelivery(table: Table, ref: DeliveryRef): Promise<Delivery | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: deliveryKey(ref), ConsistentRead: true }),
  );
  return Item ? v.parse(DeliverySchema, Item) : null;
}

/**
 * Deliveries of a webhook, newest first, at most `limit`; `before` is the id after which to go on, `since` the time of
 * the oldest ones wanted (epoch milliseconds).
 */
export async function listDeliveries(
  table: Table,
  webhookId: string,
  limit: number,
  before: string | null,
  since = 0,
): Promise<{ deliveries: Delivery[]; more: boolean }> {
  const oldest = idsFrom(since);
  // A query that is to go on from outside its own range is refused.
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
      Limit: limit,
      ...(before === null
        ? {}
        : { ExclusiveStartKey: deliveryKey({ webhook_id: webhookId, delivery_id: before }) }),
    }),
  );
  return { deliveries: v.parse(v.array(DeliverySchema), Items ?? []), more: LastEvaluatedKey !== undefined };
}

/** How a delivery goes on after an attempt. `wake_at` is null exactly when the status is final. */
export type Progress =
  | { status: 'pending'; next_attempt_at: number; wake_at: number }
  | { status: 'delivered' | 'failed'; next_attempt_at: null; wake_at: null };

/**
 * Adds an attempt to the log, on the condition that none was added since `delivery` was read. False when one was: the
 * same note was worked on twice, and the other one decides.
 */
export function recordAttempt(
  table: Table,
  delivery: Delivery,
  attempt: Attempt,
  next: Progress,
): Promise<boolean> {
  const wake =
    next.wake_at === null
      ? { expression: ' REMOVE wake_at, wake_shard', values: {} }
      : {
          expression: ', wake_at = :wake, wake_shard = :shard',
          values: { ':wake': next.wake_at, ':shard': wakeShard(delivery.delivery_id) },
        };
  return holds(() =>
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
}
