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
import { writeIfUnchanged, ttl, wakeShard, workspaceKey, type Key, type Table } from './table.ts';

/** How long deliveries are kept, milliseconds. DynamoDB's TTL removes them later. */
export const DELIVERY_RETENTION = 30 * DAY;
/** How long after its due time the sweeper treats a delivery as overdue. */
export const WAKE_GRACE = 2 * MINUTE;

/**
 * All webhooks of a workspace are one item, so that an event reads it once and the limit is a condition on the size of its
 * map. Ten webhooks stay far below DynamoDB's 400 KB.
 */
const webhooksKey = (workspaceId: string): Key => ({ PK: workspaceKey(workspaceId), SK: 'WEBHOOKS' });

const ItemSchema = v.object({ webhooks: v.record(v.string(), WebhookSchema) });

/** Stores a webhook; a repeated request replaces its own. Returns false when the workspace has the most webhooks already. */
export async function createWebhook(table: Table, webhook: Webhook): Promise<boolean> {
  const target = { TableName: table.name, Key: webhooksKey(webhook.workspace_id) };
  await table.client.send(
    new UpdateCommand({
      ...target,
      UpdateExpression: 'SET webhooks = if_not_exists(webhooks, :none)',
      ExpressionAttributeValues: { ':none': {} },
    }),
  );
  return writeIfUnchanged(() =>
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

/** Returns the webhooks of a workspace, oldest first. */
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
 * Sets fields of a webhook and returns the updated webhook. Null when it does not exist, or when a field differs from
 * `expected`.
 */
export async function updateWebhook(
  table: Table,
  workspaceId: string,
  id: string,
  changes: Partial<Webhook>,
  expected: Partial<Pick<Webhook, 'sealed_secret' | 'failing_since'>> = {},
): Promise<Webhook | null> {
  const fields = expressionParts('f', changes);
  const conditions = expressionParts('expected', expected);
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
  const updated = await writeIfUnchanged(async () => {
    after = (await table.client.send(command)).Attributes;
  });
  return updated ? (v.parse(ItemSchema, after).webhooks[id] ?? null) : null;
}

/** Builds the parts of an expression that sets or compares fields of the webhook `#id`. */
function expressionParts(prefix: string, fields: Partial<Webhook>) {
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

/** Returns false when there is no such webhook. Its deliveries expire and can no longer be listed. */
export function deleteWebhook(table: Table, workspaceId: string, id: string): Promise<boolean> {
  return writeIfUnchanged(() =>
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

/** Stores a new delivery that is due now. Returns false when it exists, stored by an earlier run of the same event. */
export function createDelivery(table: Table, delivery: Delivery): Promise<boolean> {
  return writeIfUnchanged(() =>
    table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: {
          ...deliveryKey(delivery),
          ...delivery,
          wake_shard: wakeShard(delivery.delivery_id),
          wake_at: delivery.created_at + WAKE_GRACE,
          expires_at: ttl(delivery.created_at + DELIVERY_RETENTION),
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
  const deliveries = v.parse(v.array(DeliverySchema), Items ?? []);
  // DynamoDB ends a page at 1 MB, too.
  const more = deliveries.length > limit || LastEvaluatedKey !== undefined;
  return { deliveries: deliveries.slice(0, limit), more };
}

/** The state of a delivery after an attempt. `wake_at` is null exactly when the status is final. */
export type Progress =
  | { status: 'pending'; next_attempt_at: number; wake_at: number }
  | { status: 'delivered' | 'failed'; next_attempt_at: null; wake_at: null };

/**
 * Records an attempt on the condition that none was recorded since `delivery` was read. Returns false otherwise: the message
 * was processed twice, and the other attempt decides.
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
}
