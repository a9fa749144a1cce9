import { newSession } from '../../shared/broadcasts/new-session.ts';
import { goneLive, stopped } from '../../shared/broadcasts/transitions.ts';
import type { Broadcast } from '../../shared/model/broadcast.ts';
import { newId } from '../../shared/model/id.ts';
import {
  acquireBroadcastLease,
  broadcastsTitled,
  createBroadcast,
  deleteBroadcast,
  getBroadcast,
  listBroadcasts,
  recordHeartbeat,
  saveBroadcast,
  setTaskArn,
  stopBroadcast,
  unsettledBroadcastsOf,
} from '../../shared/store/broadcasts.ts';
import type { Table } from '../../shared/store/table.ts';
import { SECOND } from '../../shared/time/instant.ts';

const NOW = Date.UTC(2026, 2, 2, 10);
const LEASE = { id: newId(), until: NOW + 75 * SECOND };

/** A broadcast whose worker streams, with texts of typical length. */
function broadcastOf(workspace_id = newId()): Broadcast {
  const id = newId();
  return {
    ...newSession({
      id,
      workspace_id,
      profile_id: newId(),
      profile_name: 'Acme Coffee',
      social_account_id: newId(),
      title: 'Evening loop: the best of this week, again and again',
      description: 'What we roasted, ground and drank this week. Order at https://example.com/coffee/blend',
      privacy: 'public',
      start_time: NOW,
      playlist_id: newId(),
      is_loop: true,
      created_at: NOW,
    }),
    status: 'starting',
    is_ready: true,
    intents: { broadcast: NOW, stream: NOW },
    youtube_broadcast_id: 'k3xQz1Yb7Lw',
    youtube_stream_id: 'UC4a9d1c2b3e4f5a6b7c8d9e',
    rtmp_url: 'rtmps://a.rtmps.youtube.com:443/live2',
    sealed_stream_key: 'v1.00000000.'.padEnd(120, 'a'),
    attempt: 1,
    attempt_started_at: NOW,
    task_arn: `arn:aws:ecs:us-east-1:123456789012:task/social-live/${'0'.repeat(32)}`,
    heartbeat_at: NOW,
    worker_state: 'streaming',
    progress: { item: 3, ticks: 54_000, fillers: 12, bytes: 3e8, reconnects: 0, last_error: null },
  };
}

async function stored(base: Table, count = 1): Promise<Broadcast> {
  const [first, ...others] = Array.from({ length: count }, () => broadcastOf());
  const broadcast = first!;
  await createBroadcast(base, broadcast);
  for (const other of others) {
    const { workspace_id, profile_id } = broadcast;
    await createBroadcast(base, { ...other, workspace_id, profile_id });
  }
  return broadcast;
}

async function leased(base: Table): Promise<Broadcast> {
  return (await acquireBroadcastLease(base, await stored(base), LEASE, NOW))!;
}

/** The access patterns of live broadcasts; `base` creates what exists beforehand, outside the measurement. */
export const BROADCAST_PATTERNS: Record<string, (table: Table, base: Table) => Promise<unknown>> = {
  'store a live broadcast': table => createBroadcast(table, broadcastOf()),
  'read a live broadcast': async (table, base) => getBroadcast(table, await stored(base)),
  'list 20 live broadcasts': async (table, base) => {
    const { workspace_id } = await stored(base, 20);
    return listBroadcasts(table, workspace_id, {}, 20);
  },
  'find those of 20 with a title': async (table, base) => broadcastsTitled(table, await stored(base, 20)),
  'find those of 20 that are not over': async (table, base) => {
    const { workspace_id, profile_id } = await stored(base, 20);
    return unsettledBroadcastsOf(table, workspace_id, profile_id);
  },
  "acquire a broadcast's lease": async (table, base) =>
    acquireBroadcastLease(table, await stored(base), LEASE, NOW),
  'change the status of a broadcast': async (table, base) => {
    const broadcast = await leased(base);
    return saveBroadcast(table, broadcast, goneLive(broadcast, NOW));
  },
  "release a broadcast's lease": async (table, base) =>
    saveBroadcast(table, await leased(base), { next_at: NOW + 30 * SECOND, failures: 0, lease: null }),
  "store a worker's task": async (table, base) =>
    setTaskArn(
      table,
      await stored(base),
      1,
      `arn:aws:ecs:us-east-1:123456789012:task/social-live/${newId()}`,
    ),
  'record a heartbeat of a worker': async (table, base) => {
    const broadcast = await stored(base);
    const progress = { ...broadcast.progress!, ticks: 54_450 };
    const report = { heartbeat_at: NOW + 15 * SECOND, worker_state: 'streaming' as const, progress };
    return recordHeartbeat(table, broadcast, 1, report);
  },
  'stop a broadcast': async (table, base) => {
    const broadcast = await stored(base);
    return stopBroadcast(table, broadcast, { ...stopped(broadcast, NOW), stopped_by: newId() });
  },
  'delete a broadcast': async (table, base) => deleteBroadcast(table, await leased(base)),
};
