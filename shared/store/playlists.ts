import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { PlaylistSchema, type Asset, type Playlist } from '../model/library.ts';
import { allOf, deleteKeys, type WorkspaceQuery } from './query.ts';
import { writeIfUnchanged, workspaceKey, type Key, type Table } from './table.ts';

const PREFIX = 'PLAYLIST#';

const playlistKey = (workspaceId: string, id: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: PREFIX + id,
});

/** Stores a new playlist. Does nothing when an earlier run of the same request stored it. */
export async function createPlaylist(table: Table, playlist: Playlist): Promise<void> {
  await putWhen(table, playlist, 'attribute_not_exists(PK)', {});
}

/** Stores a playlist as the next revision of `seen`; false when it was changed or deleted meanwhile. */
export function savePlaylist(table: Table, seen: Playlist, playlist: Playlist): Promise<boolean> {
  return putWhen(table, { ...playlist, revision: seen.revision + 1 }, 'revision = :seen', {
    ':seen': seen.revision,
  });
}

function putWhen(
  table: Table,
  playlist: Playlist,
  condition: string,
  values: Record<string, number>,
): Promise<boolean> {
  return writeIfUnchanged(() =>
    table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: { ...playlistKey(playlist.workspace_id, playlist.id), ...playlist },
        ConditionExpression: condition,
        ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
      }),
    ),
  );
}

export async function getPlaylist(table: Table, workspaceId: string, id: string): Promise<Playlist | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: playlistKey(workspaceId, id), ConsistentRead: true }),
  );
  return Item ? v.parse(PlaylistSchema, Item) : null;
}

/** Lists playlists of a workspace or of one of its profiles consistently, newest first. */
export function listPlaylists(table: Table, workspaceId: string, profileId?: string): Promise<Playlist[]> {
  return allOf(table, playlistQuery(workspaceId, profileId), PlaylistSchema);
}

function playlistQuery(workspaceId: string, profileId: string | undefined): WorkspaceQuery {
  const query = { workspace_id: workspaceId, prefix: PREFIX, backwards: true, consistent: true };
  if (profileId === undefined) return query;
  return { ...query, filter: { expression: 'profile_id = :profile', values: { ':profile': profileId } } };
}

/** Deletes a playlist; false when there is none. */
export function deletePlaylist(table: Table, workspaceId: string, id: string): Promise<boolean> {
  return writeIfUnchanged(() =>
    table.client.send(
      new DeleteCommand({
        TableName: table.name,
        Key: playlistKey(workspaceId, id),
        ConditionExpression: 'attribute_exists(PK)',
      }),
    ),
  );
}

/** Deletes all playlists of a profile. */
export async function deletePlaylistsOf(table: Table, workspaceId: string, profileId: string): Promise<void> {
  const playlists = await listPlaylists(table, workspaceId, profileId);
  await deleteKeys(
    table,
    playlists.map(({ id }) => playlistKey(workspaceId, id)),
  );
}

/** Removes an asset from every playlist that contains it. */
export async function removeFromPlaylists(table: Table, asset: Asset): Promise<void> {
  const playlists = await listPlaylists(table, asset.workspace_id, asset.profile_id);
  const containing = playlists.filter(({ items }) => items.some(item => item.media_asset_id === asset.id));
  for (const playlist of containing) await withoutAssets(table, playlist, new Set([asset.id]));
}

/** Removes assets from a playlist, retrying after concurrent changes. Returns it as stored; null when it was deleted. */
export async function withoutAssets(
  table: Table,
  playlist: Playlist,
  gone: ReadonlySet<string>,
): Promise<Playlist | null> {
  let current: Playlist | null = playlist;
  while (current) {
    const items: Playlist['items'] = current.items.filter(item => !gone.has(item.media_asset_id));
    if (items.length === current.items.length) return current;
    const next: Playlist = { ...current, items, revision: current.revision + 1 };
    if (await savePlaylist(table, current, next)) return next;
    current = await getPlaylist(table, playlist.workspace_id, playlist.id);
  }
  return null;
}
