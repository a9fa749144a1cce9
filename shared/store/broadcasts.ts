import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import {
  BroadcastSchema,
  type Broadcast,
  type BroadcastRef,
  type BroadcastStatus,
  type WorkerProgress,
  type WorkerState,
} from '../model/broadcast.ts';
import { MINUTE } from '../time/instant.ts';
import { allOf, pagesOf } from './query.ts';
import { wakeShard, workspaceKey, writeIfUnchanged, type Key, type Table } from './table.ts';

const PREFIX = 'BROADCAST#';
/** How long after `next_at` the sweeper considers the message of a broadcast lost. */
const WAKE_GRACE_MS = 1 * MINUTE;

const broadcastKey = ({ workspace_id, id }: BroadcastRef): Key => ({
  PK: workspaceKey(workspace_id),
  SK: PREFIX + id,
});

/** Returns the broadcast that a key of the wake index refers to; null for a key of another aggregate. */
export function broadcastOfKey(key: Key): BroadcastRef | null {
  if (!key.SK.startsWith(PREFIX)) return null;
  return { workspace_id: key.PK.slice(workspaceKey('').length), id: key.SK.slice(PREFIX.length) };
}

/** Stores a new broadcast. False when the id exists: an earlier run of the same request stored it. */
export function createBroadcast(table: Table, broadcast: Broadcast): Promise<boolean> {
  const Item = { ...broadcastKey(broadcast), ...broadcast, ...wakeFields(broadcast.id, broadcast.next_at) };
  return writeIfUnchanged(() =>
    table.client.send(
      new PutCommand({ TableName: table.name, Item, ConditionExpression: 'attribute_not_exists(PK)' }),
    ),
  );
}

/** Reads a broadcast consistently, or returns null. */
export async function getBroadcast(table: Table, ref: BroadcastRef): Promise<Broadcast | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: broadcastKey(ref), ConsistentRead: true }),
  );
  return Item ? v.parse(BroadcastSchema, Item) : null;
}

export interface BroadcastFilter {
  social_account_id?: string | undefined;
  profile_id?: string | undefined;
  status?: BroadcastStatus | undefined;
}

/** Returns at most `limit` broadcasts of a workspace, newest first: those that exist at YouTube and are not being deleted. */
export async function listBroadcasts(
  table: Table,
  workspaceId: string,
  filter: BroadcastFilter,
  limit: number,
): Promise<Broadcast[]> {
  const wanted = Object.entries({ ...filter, is_ready: true, delete_requested: false }).filter(
    ([, value]) => value !== undefined,
  );
  const query = {
    workspace_id: workspaceId,
    prefix: PREFIX,
    backwards: true,
    consistent: true,
    filter: {
      expression: wanted.map((_, index) => `#f${index} = :f${index}`).join(' AND '),
      names: Object.fromEntries(wanted.map(([name], index) => [`#f${index}`, name])),
      values: Object.fromEntries(wanted.map(([, value], index) => [`:f${index}`, value])),
    },
  };
  const found: Broadcast[] = [];
  for await (const page of pagesOf(table, query, BroadcastSchema)) {
    found.push(...page);
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** Returns all broadcasts of an account with this title, those that are being created or deleted included. */
export function broadcastsTitled(
  table: Table,
  { workspace_id, social_account_id, title }: Pick<Broadcast, 'workspace_id' | 'social_account_id' | 'title'>,
): Promise<Broadcast[]> {
  const filter = {
    expression: 'social_account_id = :account AND title = :title',
    values: { ':account': social_account_id, ':title': title },
  };
  return allOf(table, { workspace_id, prefix: PREFIX, consistent: true, filter }, BroadcastSchema);
}

/** Returns the broadcasts of a profile that the controller still has to act on. */
export function unsettledBroadcastsOf(
  table: Table,
  workspaceId: string,
  profileId: string,
): Promise<Broadcast[]> {
  const filter = {
    expression: 'profile_id = :profile AND attribute_exists(wake_at)',
    values: { ':profile': profileId },
  };
  const query = { workspace_id: workspaceId, prefix: PREFIX, consistent: true, filter };
  return allOf(table, query, BroadcastSchema);
}

/**
 * Acquires the exclusive right to act on a broadcast. Returns the broadcast under the lease; null when another controller has
 * it, or the broadcast was deleted.
 */
export function acquireBroadcastLease(
  table: Table,
  ref: BroadcastRef,
  lease: NonNullable<Broadcast['lease']>,
  now: number,
): Promise<Broadcast | null> {
  return update(table, ref, {
    set: { lease },
    // A repeated request whose first response was lost finds its own lease.
    condition: 'lease = :none OR lease.#until < :now OR lease.id = :id',
    names: { '#until': 'until' },
    values: { ':none': null, ':now': now, ':id': lease.id },
  });
}

/**
 * Stores what a controller changed, under its lease and on the condition that the status is still that of `from`. Returns the
 * broadcast after the write; null when the lease is lost or a stop request ended the status.
 */
export function saveBroadcast(
  table: Table,
  from: Broadcast,
  changes: Partial<Broadcast>,
): Promise<Broadcast | null> {
  return update(table, from, {
    set: changes,
    condition: 'lease.id = :lease AND #status IN (:from, :to)',
    names: { '#status': 'status' },
    values: { ':lease': from.lease?.id ?? '', ':from': from.status, ':to': changes.status ?? from.status },
  });
}

/** Stores the task of a worker, also when the broadcast has been stopped meanwhile. Null when another worker took its place. */
export function setTaskArn(
  table: Table,
  ref: BroadcastRef,
  attempt: number,
  task_arn: string,
): Promise<Broadcast | null> {
  return update(table, ref, { set: { task_arn }, ...ofAttempt(attempt) });
}

/** What a worker reports. */
export interface WorkerReport {
  heartbeat_at: number;
  worker_state: WorkerState;
  progress: WorkerProgress;
}

/**
 * Stores the heartbeat of a worker and returns whether it must end itself. Null when another worker took its place, or the
 * session was deleted: it must end itself at once.
 */
export async function recordHeartbeat(
  table: Table,
  ref: BroadcastRef,
  attempt: number,
  report: WorkerReport,
): Promise<{ stop_requested: boolean } | null> {
  const { heartbeat_at, worker_state, progress } = report;
  return update(table, ref, { set: { heartbeat_at, worker_state, progress }, ...ofAttempt(attempt) });
}

const ofAttempt = (attempt: number) => ({
  condition: 'attempt = :attempt',
  names: {},
  values: { ':attempt': attempt },
});

/**
 * Ends a broadcast at a user's request, on the condition that its status is still that of `from`. Returns null when the
 * condition failed.
 */
export function stopBroadcast(
  table: Table,
  from: Broadcast,
  changes: Partial<Broadcast> & { stopped_by: string },
): Promise<Broadcast | null> {
  return update(table, from, {
    set: changes,
    condition: '#status = :from OR stopped_by = :request',
    names: { '#status': 'status' },
    values: { ':from': from.status, ':request': changes.stopped_by },
  });
}

/** Deletes a broadcast under a lease; false when the lease is lost. */
export function deleteBroadcast(table: Table, broadcast: Broadcast): Promise<boolean> {
  return writeIfUnchanged(() =>
    table.client.send(
      new DeleteCommand({
        TableName: table.name,
        Key: broadcastKey(broadcast),
        ConditionExpression: 'attribute_not_exists(PK) OR lease.id = :lease',
        ExpressionAttributeValues: { ':lease': broadcast.lease?.id ?? '' },
      }),
    ),
  );
}

/** Fields that have a broadcast in the wake index while there is something to do. */
function wakeFields(id: string, nextAt: number | null | undefined): Record<string, unknown> {
  return typeof nextAt === 'number' ? { wake_at: nextAt + WAKE_GRACE_MS, wake_shard: wakeShard(id) } : {};
}

interface Change {
  set: Partial<Broadcast>;
  condition: string;
  names: Record<string, string>;
  values: Record<string, unknown>;
}

/** Updates a broadcast and returns it as it is afterwards; null when the condition failed. */
async function update(table: Table, ref: BroadcastRef, change: Change): Promise<Broadcast | null> {
  const fields = Object.entries({ ...change.set, ...wakeFields(ref.id, change.set.next_at) });
  const sets = fields.map((_, index) => `#s${index} = :s${index}`);
  const remove = change.set.next_at === null ? ' REMOVE wake_at, wake_shard' : '';
  const command = new UpdateCommand({
    TableName: table.name,
    Key: broadcastKey(ref),
    UpdateExpression: `SET ${sets.join(', ')}${remove}`,
    ConditionExpression: `attribute_exists(PK) AND (${change.condition})`,
    ExpressionAttributeNames: {
      ...change.names,
      ...Object.fromEntries(fields.map(([name], index) => [`#s${index}`, name])),
    },
    ExpressionAttributeValues: {
      ...change.values,
      ...Object.fromEntries(fields.map(([, value], index) => [`:s${index}`, value])),
    },
    ReturnValues: 'ALL_NEW',
  });
  let after: Record<string, unknown> | undefined;
  const written = await writeIfUnchanged(async () => {
    after = (await table.client.send(command)).Attributes;
  });
  return written ? v.parse(BroadcastSchema, after) : null;
}
