import { WAKE_GRACE_MS } from '../../../shared/housekeeping/work.ts';
import type { Connection } from '../../../shared/model/profile.ts';
import { connectionOfKey, getConnection } from '../../../shared/store/connections.ts';
import { WAKE_SHARDS, type Table } from '../../../shared/store/table.ts';
import { dueInShard } from '../../../shared/store/wake.ts';
import { HOUR } from '../../../shared/time/instant.ts';
import { counted, orOk, todo, type Check } from './finding.ts';

const MOST_IN_SHARD = 500;

/** Whether tokens are renewed: none should be due for longer than an hour. */
export const tokens: Check = {
  name: 'tokens',
  run: async ({ table }, now) => {
    const due = await dueConnections(table, now);
    const late = due.filter(({ renew_at }) => renew_at !== null && renew_at < now - HOUR);
    const byPlatform = Map.groupBy(late, ({ platform }) => platform);
    return orOk(
      [...byPlatform].map(([platform, { length }]) =>
        todo(
          `${counted(length, 'token')} of ${platform} should have been renewed more than an hour ago: read the log of the ` +
            'housekeeper',
        ),
      ),
      `${counted(due.length, 'token')} due for renewal now, none for longer than an hour`,
    );
  },
};

/** Returns the connections whose tokens are due. A sweep that starts a renewal moves the connection in the index. */
async function dueConnections(table: Table, now: number): Promise<Connection[]> {
  const shards = Array.from({ length: WAKE_SHARDS }, (_, shard) => shard);
  const keys = await Promise.all(
    shards.map(shard => dueInShard(table, shard, now + WAKE_GRACE_MS, MOST_IN_SHARD)),
  );
  const refs = keys.flat().flatMap(key => connectionOfKey(key) ?? []);
  const connections = await Promise.all(
    refs.map(ref => getConnection(table, ref.workspace_id, ref.profile_id, ref.platform)),
  );
  return connections.flatMap(connection =>
    connection?.renew_at != null && connection.renew_at <= now && !connection.needs_reconnect
      ? [connection]
      : [],
  );
}
