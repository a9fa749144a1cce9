import { DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { AssetSchema, type Asset } from '../model/library.ts';
import { MINUTE } from '../time/instant.ts';
import { deleteKeys, getItems, pagesOf, type WorkspaceQuery } from './query.ts';
import { writeIfUnchanged, wakeShard, workspaceKey, type Key, type Table } from './table.ts';
import { newItem, transact } from './transact.ts';

const PREFIX = 'ASSET#';
/** After this time the sweeper considers the probe message of a new asset lost. */
const PROBE_GRACE_MS = 2 * MINUTE;

const assetKey = (workspaceId: string, id: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: PREFIX + id,
});

export interface AssetRef {
  workspace_id: string;
  asset_id: string;
}

/** Returns the asset that a key of the wake index refers to; null for a key of another aggregate. */
export function assetOfKey(key: Key): AssetRef | null {
  if (!key.SK.startsWith(PREFIX)) return null;
  return { workspace_id: key.PK.slice(workspaceKey('').length), asset_id: key.SK.slice(PREFIX.length) };
}

/** The most assets that are registered at once: the limit of a transaction. */
export const MAX_BATCH = 100;

/** Stores new assets, all or none, and schedules their probe. Existing ones were stored by the same request. */
export async function createAssets(table: Table, assets: readonly Asset[]): Promise<void> {
  await transact(
    table,
    assets.map(asset =>
      newItem(table, {
        ...assetKey(asset.workspace_id, asset.id),
        ...asset,
        wake_shard: wakeShard(asset.id),
        wake_at: asset.created_at + PROBE_GRACE_MS,
      }),
    ),
  );
}

export async function getAsset(table: Table, { workspace_id, asset_id }: AssetRef): Promise<Asset | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: assetKey(workspace_id, asset_id), ConsistentRead: true }),
  );
  return Item ? v.parse(AssetSchema, Item) : null;
}

const OwnerSchema = v.object({ id: v.string(), profile_id: v.string() });

/** Returns the profile of each asset, read consistently; assets that do not exist are missing. */
export async function ownersOfAssets(
  table: Table,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const keys = [...new Set(ids)].map(id => assetKey(workspaceId, id));
  const owners = await getItems(table, keys, OwnerSchema, { consistent: true, attributes: 'id, profile_id' });
  return new Map(owners.map(({ id, profile_id }) => [id, profile_id]));
}

/** Lists assets of a workspace or one of its profiles, newest first, `limit` at most, those before the id `before`. */
export async function listAssets(
  table: Table,
  workspaceId: string,
  { profile_id, limit, before }: { profile_id: string | undefined; limit: number; before: string | null },
): Promise<{ assets: Asset[]; more: boolean }> {
  const after = before === null ? null : assetKey(workspaceId, before).SK;
  // Without a filter, one page of the right size holds them all.
  const pageSize = profile_id === undefined ? { pageSize: limit + 1 } : {};
  const query = { ...assetQuery(workspaceId, profile_id), ...pageSize, backwards: true, after };
  const assets: Asset[] = [];
  for await (const page of pagesOf(table, query, AssetSchema)) {
    assets.push(...page);
    if (assets.length > limit) break;
  }
  return { assets: assets.slice(0, limit), more: assets.length > limit };
}

function assetQuery(workspaceId: string, profileId: string | undefined): WorkspaceQuery {
  const query = { workspace_id: workspaceId, prefix: PREFIX };
  if (profileId === undefined) return query;
  return { ...query, filter: { expression: 'profile_id = :profile', values: { ':profile': profileId } } };
}

/** Deletes an asset; false when there is none. */
export function deleteAsset(table: Table, { workspace_id, asset_id }: AssetRef): Promise<boolean> {
  return writeIfUnchanged(() =>
    table.client.send(
      new DeleteCommand({
        TableName: table.name,
        Key: assetKey(workspace_id, asset_id),
        ConditionExpression: 'attribute_exists(PK)',
      }),
    ),
  );
}

/** The outcome of a probe. `wake_at`: when to probe again; null when the outcome is final. */
export type ProbeResult = Partial<
  Pick<Asset, 'mime_type' | 'size' | 'duration' | 'width' | 'height' | 'error' | 'failed_probes'>
> & { status: Asset['status']; wake_at: number | null };

/** Stores the outcome of a probe; false when the asset was deleted or probed by another worker meanwhile. */
export function saveProbeResult(
  table: Table,
  asset: Asset,
  { wake_at, ...found }: ProbeResult,
): Promise<boolean> {
  const fields = Object.entries(found);
  const sets = fields.map((_, index) => `#f${index} = :f${index}`);
  const wake = wake_at === null ? ' REMOVE wake_at, wake_shard' : ', wake_at = :wake';
  return writeIfUnchanged(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: assetKey(asset.workspace_id, asset.id),
        UpdateExpression: `SET ${sets.join(', ')}${wake}`,
        ConditionExpression: '#status = :processing AND failed_probes = :failed_probes',
        ExpressionAttributeNames: {
          '#status': 'status',
          ...Object.fromEntries(fields.map(([name], index) => [`#f${index}`, name])),
        },
        ExpressionAttributeValues: {
          ...Object.fromEntries(fields.map(([, value], index) => [`:f${index}`, value])),
          ':processing': 'processing',
          ':failed_probes': asset.failed_probes,
          ...(wake_at === null ? {} : { ':wake': wake_at }),
        },
      }),
    ),
  );
}

/** Small enough that the remaining time is checked often. */
const DELETE_PAGE_SIZE = 500;

/** Deletes the assets of a profile page by page until `isTimeOver`. True when none is left. */
export async function deleteAssetsOf(
  table: Table,
  workspaceId: string,
  profileId: string,
  isTimeOver: () => boolean,
): Promise<boolean> {
  const query = { ...assetQuery(workspaceId, profileId), consistent: true, pageSize: DELETE_PAGE_SIZE };
  for await (const page of pagesOf(table, query, v.object({ id: v.string() }))) {
    if (isTimeOver()) return false;
    await deleteKeys(
      table,
      page.map(({ id }) => assetKey(workspaceId, id)),
    );
  }
  return true;
}
