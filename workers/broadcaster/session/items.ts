import type { Asset, Playlist } from '../../../shared/model/library.ts';
import { getAsset } from '../../../shared/store/assets.ts';
import { keyOfUrl, type Bucket } from '../../../shared/store/objects.ts';
import { signGet } from '../../../shared/store/signed-objects.ts';
import type { Table } from '../../../shared/store/table.ts';
import { HOUR, SECOND } from '../../../shared/time/instant.ts';
import type { PlaylistItem } from '../playlist/open-item.ts';

/** Longer than any item plays, as it is read while it plays. Ends earlier with the credentials of the task. */
const URL_S = (12 * HOUR) / SECOND;

/** Returns the items of a playlist in playing order. Each asset is read when its item is opened. */
export function itemsOf(playlist: Playlist, table: Table, bucket: Bucket): PlaylistItem[] {
  const { workspace_id, items } = playlist;
  return items.map(({ id, media_asset_id: asset_id }) => ({
    id,
    file_id: asset_id,
    url: async () => {
      const asset = await getAsset(table, { workspace_id, asset_id });
      if (!asset) throw new Error('The media asset was deleted');
      return urlOf(asset, bucket);
    },
  }));
}

/** Files of our own bucket are read from S3 itself, which costs no transfer within its region. */
function urlOf({ public_url }: Asset, bucket: Bucket): Promise<string> {
  const key = keyOfUrl(bucket, public_url);
  return key === null ? Promise.resolve(public_url) : signGet(bucket, key, URL_S);
}
