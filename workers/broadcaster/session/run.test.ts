import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchAccessUnits } from '../../../test/support/access-units.ts';
import { DECODER, SMALL } from '../../../test/support/broadcast.ts';
import { createTestBucket, type TestBucket } from '../../../test/support/bucket.ts';
import { clipHost, type ClipHost } from '../../../test/support/clip-host.ts';
import { startFakeIngest, type FakeIngest } from '../../../test/support/fake-ingest.ts';
import { createTestTable, type TestTable } from '../../../test/support/table.ts';
import { newKeyRing } from '../../../shared/aws/key-ring.ts';
import { sealStreamKey } from '../../../shared/broadcasts/stream-key.ts';
import type { Broadcast } from '../../../shared/model/broadcast.ts';
import { createAssets, deleteAsset } from '../../../shared/store/assets.ts';
import {
  acquireBroadcastLease,
  createBroadcast,
  getBroadcast,
  saveBroadcast,
} from '../../../shared/store/broadcasts.ts';
import { putObject } from '../../../shared/store/objects.ts';
import { createPlaylist } from '../../../shared/store/playlists.ts';
import type { Table } from '../../../shared/store/table.ts';
import { MESSAGE } from '../rtmp/chunks.ts';
import { itemsOf } from './items.ts';
import { runSession } from './run.ts';

const RED = [81, 90, 240] as const;
const WORKSPACE = { workspace_id: 'workspace', profile_id: 'profile' };
const ASSET = {
  ...WORKSPACE,
  title: 'Clip',
  source_type: 'url',
  duration: null,
  size: null,
  mime_type: null,
  width: null,
  height: null,
  status: 'ready' as const,
  error: null,
  failed_probes: 0,
  created_at: 1,
};
const RING = newKeyRing();
const keys = { keyRing: () => Promise.resolve(RING) };

let table: TestTable;
let bucket: TestBucket;
let host: ClipHost;
let ingest: FakeIngest;
let stopping: AbortController;
let sessions = 0;

beforeAll(async () => {
  table = await createTestTable();
  bucket = await createTestBucket();
  host = await clipHost({
    'clip.mp4': { video: 'libx264', sound: null, width: 160, height: 90, fps: 15, seconds: 1, color: RED },
  });
  const assets = { clip: host.url('clip.mp4'), missing: host.url('missing.mp4') };
  await createAssets(
    table,
    Object.entries(assets).map(([id, public_url]) => ({ ...ASSET, id, public_url })),
  );
});
afterAll(() => Promise.all([table.close(), bucket.close(), host.close()]));
beforeEach(async () => {
  ingest = await startFakeIngest();
  stopping = new AbortController();
});
afterEach(() => ingest.close());

/** Stores a session whose first worker is to be run. */
async function session(fields: Partial<Broadcast> = {}, assets = ['missing', 'clip']): Promise<Broadcast> {
  sessions += 1;
  const id = `session-${sessions}`;
  const playlist = {
    ...WORKSPACE,
    id: `playlist-${sessions}`,
    name: 'List',
    loop_enabled: false,
    items: assets.map((media_asset_id, index) => ({ id: `item-${index}`, media_asset_id })),
    revision: 1,
    created_at: 1,
  };
  await createPlaylist(table, playlist);
  const broadcast: Broadcast = {
    ...WORKSPACE,
    id,
    profile_name: 'Demo',
    social_account_id: 'account',
    title: 'Title',
    description: null,
    privacy: 'private',
    start_time: 0,
    playlist_id: playlist.id,
    is_loop: false,
    status: 'starting',
    created_at: 1,
    started_at: null,
    ended_at: null,
    failure: null,
    is_ready: true,
    intents: { broadcast: null, stream: null },
    youtube_broadcast_id: 'broadcast',
    youtube_stream_id: 'stream',
    rtmp_url: ingest.address.url,
    sealed_stream_key: await sealStreamKey(keys, id, ingest.address.key),
    checked_at: null,
    attempt: 1,
    attempt_started_at: 1,
    task_arn: null,
    replacements: 0,
    heartbeat_at: null,
    worker_state: null,
    progress: null,
    stop_requested: false,
    stopped_by: null,
    delete_requested: false,
    lease: null,
    failures: 0,
    next_at: null,
    outbox: [],
    ...fields,
  };
  await createBroadcast(table, broadcast);
  return broadcast;
}

const run = ({ workspace_id, id }: Broadcast, used: Table = table) =>
  runSession({
    identity: { workspace_id, id, attempt: 1 },
    services: { table: used, bucket, now: Date.now, ...keys },
    format: SMALL,
    decoder: DECODER,
    signal: stopping.signal,
    // Four heartbeats that are late end the broadcast: long enough for a busy machine.
    limits: { heartbeat_ms: 1000, survey_ms: 60_000 },
  });

const stored = async (broadcast: Broadcast) => (await getBroadcast(table, broadcast))!;
const until = async (broadcast: Broadcast, state: Broadcast['worker_state']) => {
  while ((await stored(broadcast)).worker_state !== state) await sleep(20);
};
const change = async (broadcast: Broadcast, fields: Partial<Broadcast>) => {
  const leased = await acquireBroadcastLease(table, broadcast, { id: 'controller', until: 1 }, 2);
  await saveBroadcast(table, leased!, fields);
};

test('streams the playlist to the ingest of the session, and tells how far it is and that it has finished', async () => {
  const broadcast = await session();
  const running = run(broadcast);
  await until(broadcast, 'streaming');
  expect(await running).toEqual({ state: 'completed', error: null });
  const { worker_state, heartbeat_at, progress } = await stored(broadcast);
  expect(worker_state).toBe('finished');
  expect(Date.now() - heartbeat_at!).toBeLessThan(60_000);
  expect(progress).toMatchObject({
    reconnects: 0,
    last_error: 'Item 1: HTTP_STATUS: The host answered 404',
  });
  // The figures of the end, not those of the last heartbeat.
  expect(progress!.ticks).toBeGreaterThanOrEqual(14);
  expect(progress!.item).toBe(1);
  expect(progress!.bytes).toBeGreaterThan(3000);
  expect(ingest.connections[0]!.commands).toContain('deleteStream');
});

test('sends the pictures as they are where all items allow it', async () => {
  expect(await run(await session({}, ['clip', 'clip']))).toEqual({ state: 'completed', error: null });
  const { messages } = ingest.connections[0]!;
  const units = await fetchAccessUnits(host.url('clip.mp4'));
  const sent = messages
    .filter(({ type }) => type === MESSAGE.video)
    .map(({ payload }) => payload.subarray(5));
  const hashes = sent.map(bytes => createHash('sha256').update(bytes).digest('hex'));
  const pictures = hashes.filter(hash => units.some(unit => unit.hash === hash));
  expect(pictures).toEqual([...units, ...units].map(({ hash }) => hash));
});

test('waits for the start time, with heartbeats', async () => {
  const start_time = Date.now() + 1500;
  const broadcast = await session({ start_time });
  const running = run(broadcast);
  await until(broadcast, 'preparing');
  expect(ingest.connections).toEqual([]);
  await until(broadcast, 'streaming');
  expect(Date.now()).toBeGreaterThanOrEqual(start_time);
  stopping.abort();
  await running;
});

test('leaves the session to another worker when it is told to end itself', async () => {
  const broadcast = await session({ is_loop: true });
  const running = run(broadcast);
  await until(broadcast, 'streaming');
  stopping.abort();
  expect(await running).toEqual({ state: 'stopped', error: null });
  expect((await stored(broadcast)).worker_state).toBe('streaming');
  expect(ingest.connections[0]!.commands).toContain('deleteStream');
});

test('leaves the session to another worker when its heartbeats are rejected', async () => {
  let isThrottled = false;
  const send = (command: UpdateCommand) =>
    isThrottled && command instanceof UpdateCommand
      ? Promise.reject(new Error('Throttled'))
      : table.client.send(command);
  const broadcast = await session({ is_loop: true });
  const running = run(broadcast, { ...table, client: { send } as unknown as Table['client'] });
  await until(broadcast, 'streaming');
  isThrottled = true;
  expect(await running).toMatchObject({ state: 'stopped', error: { code: 'HEARTBEAT_LOST' } });
  expect((await stored(broadcast)).worker_state).toBe('streaming');
});

describe('ends itself', () => {
  test.each([
    ['a stop is requested', { stop_requested: true }],
    ['another worker has its place', { attempt: 2 }],
  ])('when %s, also while it waits', async (_, fields) => {
    for (const start_time of [0, Date.now() + 3_600_000]) {
      const broadcast = await session({ is_loop: true, start_time });
      const running = run(broadcast);
      await until(broadcast, start_time === 0 ? 'streaming' : 'preparing');
      await change(broadcast, fields);
      expect(await running).toEqual({ state: 'stopped', error: null });
      expect(await stored(broadcast)).toMatchObject(fields);
    }
  });

  test.each([
    ['a stop was requested', { stop_requested: true }],
    ['another worker has its place', { attempt: 2 }],
  ])('without a heartbeat when %s before it began', async (_, fields) => {
    const broadcast = await session(fields);
    expect(await run(broadcast)).toBeNull();
    expect((await stored(broadcast)).heartbeat_at).toBeNull();
  });
});

test('fails with the reason when there is nothing to stream', async () => {
  const empty = await session({}, []);
  const message = 'The playlist is empty';
  expect(await run(empty)).toEqual({ state: 'failed', error: { code: 'NO_PLAYABLE_ITEM', message } });
  expect(await stored(empty)).toMatchObject({
    worker_state: 'failed',
    progress: { last_error: `NO_PLAYABLE_ITEM: ${message}` },
  });
  const deleted = await session({ playlist_id: 'deleted' });
  expect(await run(deleted)).toMatchObject({ error: { message: 'The playlist was deleted' } });
});

test('reads files of the own bucket with a signed URL, others by their own, and deleted assets not at all', async () => {
  const key = 'public/media/file.mp4';
  await putObject(bucket, key, Buffer.from('bytes'), 'video/mp4');
  await createAssets(table, [
    { ...ASSET, id: 'own', public_url: `${bucket.publicUrl}/media/file.mp4` },
    { ...ASSET, id: 'gone', public_url: 'https://example.com/file.mp4' },
  ]);
  await deleteAsset(table, { workspace_id: 'workspace', asset_id: 'gone' });
  const items = ['own', 'clip', 'gone'].map(media_asset_id => ({ id: media_asset_id, media_asset_id }));
  const list = { ...WORKSPACE, id: 'list', name: '', loop_enabled: false, items, revision: 1, created_at: 1 };
  const [own, other, gone] = itemsOf(list, table, bucket);
  const signed = await own!.url();
  expect(signed).toContain('X-Amz-Signature=');
  expect(await (await fetch(signed)).text()).toBe('bytes');
  expect(await other!.url()).toBe(host.url('clip.mp4'));
  await expect(gone!.url()).rejects.toThrow('deleted');
});
