import { BatchGetCommand, DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { AssetSchema, type Asset } from '../model/library.ts';
import { MINUTE } from '../time/instant.ts';
import { deleteKeys, pagesOf, type WorkspaceQuery } from './query.ts';
import { holds, wakeShard, workspaceKey, type Key, type Table } from './table.ts';
import { transact } from './transact.ts';

const PREFIX = 'ASSET#';
/** When the sweeper looks after a new asset: its note should long have been worked off. */
const PROBE_GRACE = 2 * MINUTE;

const assetKey = (workspaceId: string, id: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: PREFIX + id,
});

export interface AssetRef {
  workspace_id: string;
  asset_id: string;
}

/** The asset that a key of the wake index names; null when the key is another aggregate's. */
export function assetOfKey(key: Key): AssetRef | null {
  if (!key.SK.startsWith(PREFIX)) return null;
  return { workspace_id: key.PK.slice(workspaceKey('').length), asset_id: key.SK.slice(PREFIX.length) };
}

/** Most assets that are registered at once: a transaction holds no more. */
export const MAX_BATCH = 100;

/** Registers assets, all or none, and has them looked at. Those that exist were registered by the same request. */
export async function createAssets(table: Table, assets: readonly Asset[]): Promise<void> {
  await transact(
    table,
    assets.map(asset => ({
      Put: {
        TableName: table.name,
        Item: {
          ...assetKey(asset.workspace_id, asset.id),
          ...asset,
          wake_shard: wakeShard(asset.id),
          wake_at: asset.created_at + PROBE_GRACE,
        },
        ConditionExpression: 'attribute_not_exists(PK)',
      },
    })),
  );
}

export async function getAsset(table: Table, { workspace_id, asset_id }: AssetRef): Promise<Asset | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: assetKey(workspace_id, asset_id), ConsistentRead: true }),
  );
  return Item ? v.parse(AssetSchema, Item) : null;
}

/** Most keys of one batch read. */
const READ_BATCH = 100;

const OwnerSchema = v.object({ id: v.string(), profile_id: v.string() });

/** Which profile each of these assets belongs to, as of now; those that do not exist are missing. */
export async function ownersOfAssets(
  table: Table,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  let wanted = [...new Set(ids)].map(id => assetKey(workspaceId, id));
  while (wanted.length > 0) {
    const { Responses, UnprocessedKeys } = await table.client.send(
      new BatchGetCommand({
        RequestItems: {
          [table.name]: {
            Keys: wanted.slice(0, READ_BATCH),
            ConsistentRead: true,
            ProjectionExpression: 'id, profile_id',
          },
        },
      }),
    );
    const found = v.parse(v.array(OwnerSchema), Responses?.[table.name] ?? []);
    for (const { id, profile_id } of found) owners.set(id, profile_id);
    const again = v.parse(KeysSchema, UnprocessedKeys?.[table.name]?.Keys ?? []);
    wanted = [...again, ...wanted.slice(READ_BATCH)];
  }
  return owners;
}

const KeysSchema = v.array(v.object({ PK: v.string(), SK: v.string() }));

/** Assets of a workspace or of one of its profiles, newest first, at most `limit`, those before the id `before`. */
export async function listAssets(
  table: Table,
  workspaceId: string,
  { profile_id, limit, before }: { profile_id: string | undefined; limit: number; before: string | null },
): Promise<{ assets: Asset[]; more: boolean }> {
  const after = before === null ? null : assetKey(workspaceId, before).SK;
  // Where nothing is dropped, one page of just the right size holds them all.
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

/** False when there is no such asset any more. */
export function deleteAsset(table: Table, { workspace_id, asset_id }: AssetRef): Promise<boolean> {
  return holds(() =>
    table.client.send(
      new DeleteCommand({
        TableName: table.name,
        Key: assetKey(workspace_id, asset_id),
        ConditionExpression: 'attribute_exists(PK)',
      }),
    ),
  );
}

/** What a look at the file gave. `wake_at`: when to look again; null where nothing is left to find out. */
export type Findings = Partial<
  Pick<Asset, 'mime_type' | 'size' | 'duration' | 'width' | 'height' | 'error' | 'probes'>
> & { status: Asset['status']; wake_at: number | null };

/** Stores what was found; false when the asset is gone, or was looked at meanwhile by somebody else. */
export function saveFindings(table: Table, asset: Asset, { wake_at, ...found }: Findings): Promise<boolean> {
  const fields = Object.entries(found);
  const sets = fields.map((_, index) => `#f${index} = :f${index}`);
  const wake = wake_at === null ? ' REMOVE wake_at, wake_shard' : ', wake_at = :wake';
  return holds(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: assetKey(asset.workspace_id, asset.id),
        UpdateExpression: `SET ${sets.join(', ')}${wake}`,
        ConditionExpression: '#seen = :processing AND probes = :probes',
        ExpressionAttributeNames: {
          '#seen': 'status',
          ...Object.fromEntries(fields.map(([name], index) => [`#f${index}`, name])),
        },
        ExpressionAttributeValues: {
          ...Object.fromEntries(fields.map(([, value], index) => [`:f${index}`, value])),
          ':processing': 'processing',
          ':probes': asset.probes,
          ...(wake_at === null ? {} : { ':wake': wake_at }),
        },
      }),
    ),
  );
}

/** Small enough that `enough` is asked often. */
const PAGE_TO_DELETE = 500;

/** Deletes the assets of a profile page by page, until `enough` says so. True when none is left. */
export async function deleteAssetsOf(
  table: Table,
  workspaceId: string,
  profileId: string,
  enough: () => boolean,
): Promise<boolean> {
  const query = { ...assetQuery(workspaceId, profileId), consistent: true, pageSize: PAGE_TO_DELETE };
  for await (const page of pagesOf(table, query, v.object({ id: v.string() }))) {
    if (enough()) return false;
    await deleteKeys(
      table,
      page.map(({ id }) => assetKey(workspaceId, id)),
    );
  }
  return true;
}
