import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { Connection } from '../model/profile.ts';
import { allOf, deleteKeys } from './query.ts';
import { workspaceKey, type Key, type Table } from './table.ts';

/** A target of a connection as it is stored: its secrets are sealed. */
const StoredTargetSchema = v.object({
  id: v.string(),
  name: v.string(),
  attributes: v.record(v.string(), v.string()),
  /** AES-256-GCM text of the secrets' JSON, bound to connection and target; null where it has none. */
  sealed: v.nullable(v.string()),
});
export type StoredTarget = v.InferOutput<typeof StoredTargetSchema>;

/** The connection that targets belong to. */
type Owner = Pick<Connection, 'id' | 'workspace_id'>;

const prefixOf = (connectionId: string) => `TARGET#${connectionId}#`;

const targetKey = ({ id, workspace_id }: Owner, targetId: string): Key => ({
  PK: workspaceKey(workspace_id),
  SK: `${prefixOf(id)}${targetId}`,
});

export async function getTarget(table: Table, owner: Owner, targetId: string): Promise<StoredTarget | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: targetKey(owner, targetId) }),
  );
  return Item ? v.parse(StoredTargetSchema, Item) : null;
}

export function listTargets(table: Table, owner: Owner): Promise<StoredTarget[]> {
  const query = { workspace_id: owner.workspace_id, prefix: prefixOf(owner.id) };
  return allOf(table, query, StoredTargetSchema);
}

/** Stores these targets as the only ones of the connection. */
export async function replaceTargets(
  table: Table,
  owner: Owner,
  targets: readonly StoredTarget[],
): Promise<void> {
  const kept = new Set(targets.map(({ id }) => id));
  const gone = (await listTargets(table, owner)).filter(({ id }) => !kept.has(id));
  await Promise.all(
    targets.map(target => {
      const item = { ...targetKey(owner, target.id), ...target };
      return table.client.send(new PutCommand({ TableName: table.name, Item: item }));
    }),
  );
  await deleteKeys(
    table,
    gone.map(({ id }) => targetKey(owner, id)),
  );
}

/** Deletes all targets of a connection. */
export async function deleteTargets(table: Table, owner: Owner): Promise<void> {
  const targets = await listTargets(table, owner);
  await deleteKeys(
    table,
    targets.map(({ id }) => targetKey(owner, id)),
  );
}
