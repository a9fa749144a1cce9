import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { MAX_WEBHOOKS, WebhookSchema, type Webhook } from '../model/webhook.ts';
import { writeIfUnchanged, workspaceKey, type Key, type Table } from './table.ts';

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
