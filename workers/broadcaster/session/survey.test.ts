import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { DECODER, SMALL } from '../../../test/support/broadcast.ts';
import { createTestBucket, type TestBucket } from '../../../test/support/bucket.ts';
import { clipHost, type ClipHost } from '../../../test/support/clip-host.ts';
import { createTestTable, type TestTable } from '../../../test/support/table.ts';
import { createAssets } from '../../../shared/store/assets.ts';
import { createPlaylist } from '../../../shared/store/playlists.ts';
import { startSurvey } from './survey.ts';

const WORKSPACE = { workspace_id: 'workspace', profile_id: 'profile' };

let table: TestTable;
let bucket: TestBucket;
let host: ClipHost;
beforeAll(async () => {
  table = await createTestTable();
  bucket = await createTestBucket();
  const { width, height, fps } = SMALL;
  host = await clipHost({
    'clip.mp4': { video: 'libx264', sound: null, width, height, fps, seconds: 1, color: [81, 90, 240] },
  });
  await createAssets(
    table,
    ['clip.mp4', 'silence'].map(id => ({
      ...WORKSPACE,
      id,
      title: id,
      public_url: host.url(id),
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
    })),
  );
  await Promise.all(
    ['clip.mp4', 'silence'].map(id =>
      createPlaylist(table, {
        ...WORKSPACE,
        id,
        name: id,
        loop_enabled: false,
        items: [{ id: 'item', media_asset_id: id }],
        revision: 1,
        created_at: 1,
      }),
    ),
  );
});
afterAll(() => Promise.all([table.close(), bucket.close(), host.close()]));

function survey(playlist_id: string | null) {
  return startSurvey(
    { workspace_id: WORKSPACE.workspace_id, playlist_id, start_time: 0 },
    {
      services: { table, bucket, now: Date.now },
      format: SMALL,
      decoder: DECODER,
      least_ms: 60_000,
    },
  );
}

test('allows to copy the revision of the playlist that was surveyed, and no other', async () => {
  const { isDone, result } = survey('clip.mp4');
  expect(isDone()).toBe(false);
  while (!isDone()) await sleep(20);
  expect(result(1)).toMatchObject({ delay: 0 });
  expect(result(2)).toBeNull();
});

test('finds nothing where the playlist was deleted', async () => {
  const { isDone, result } = survey('deleted');
  while (!isDone()) await sleep(20);
  expect(result(1)).toBeNull();
});

test('ends when it is stopped', async () => {
  const { stop, result } = survey('silence');
  await stop();
  expect(result(1)).toBeNull();
});
