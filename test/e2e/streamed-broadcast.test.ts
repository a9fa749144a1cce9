import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clipHost, type ClipHost } from '../support/clip-host.ts';
import type { Clip, YuvColor } from '../support/clip.ts';
import { closeStack } from '../support/e2e.ts';
import { readRecording, type Recording } from '../support/recording.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Json, TestStack } from '../support/stack.ts';

/* A playlist as a live broadcast through the whole local stack: controller, task, RTMP server, recording. */

const RED = [81, 90, 240] as const;
const GREEN = [145, 54, 34] as const;
const BLUE = [41, 240, 110] as const;
const COLORS = [RED, GREEN, BLUE];
const CLIP = { width: 160, height: 90, fps: 15, seconds: 2 };
const CLIPS: Readonly<Record<string, Clip>> = {
  'h264.mp4': { ...CLIP, video: 'libx264', sound: 'aac', color: RED },
  'mpeg4.avi': { ...CLIP, video: 'mpeg4', sound: null, color: GREEN },
  'vp8.webm': { ...CLIP, video: 'libvpx', sound: 'libopus', width: 90, height: 160, fps: 25, color: BLUE },
};
const ITEMS = ['h264.mp4', 'mpeg4.avi', 'missing.mp4', 'vp8.webm', 'truncated.mp4'];
const LOOP_MS = 6000;

let stack: TestStack;
let host: ClipHost;

beforeAll(async () => {
  host = await clipHost(CLIPS, bytes => ({ 'truncated.mp4': bytes('h264.mp4').subarray(0, 2000) }));
  stack = await sharedStack(['youtube']);
}, 600_000);
afterAll(async () => {
  await closeStack(stack);
  await host.close();
});

/** Creates a looping playlist of the Demo profile and returns its id. */
async function createPlaylist(): Promise<string> {
  const profiles = await stack.api('GET', '/agency/profiles');
  const { id: profile_id } = profiles.body.profiles.find((each: Json) => each.profile_name === 'Demo');
  const assets = ITEMS.map(title => ({ profile_id, title, source_type: 'url', public_url: host.url(title) }));
  const media = await stack.api('POST', '/agency/media', assets);
  const media_asset_ids = media.body.media.map(({ id }: Json) => id);
  const created = await stack.api('POST', '/agency/playlists', { profile_id, name: 'Loop', media_asset_ids });
  return created.body.playlist.id;
}

const session = async (): Promise<Json> =>
  (await stack.api('GET', '/integrations/youtube/broadcasts')).body.broadcasts[0];
const tasksOf = async (sessionId: string): Promise<Json[]> =>
  (await stack.local('GET', '/_local/tasks')).body.tasks.filter(
    ({ started_by }: Json) => started_by === sessionId,
  );
const published = async (id: string): Promise<Json> =>
  (await stack.control('GET', '/_control/published?platform=youtube')).body.items.find(
    ({ platform_post_id }: Json) => platform_post_id === id,
  );

/** Downloads what the sandbox's page plays of a broadcast; null while nothing is recorded. */
async function recordingOf(id: string): Promise<Recording | null> {
  const [media] = (await published(id)).media;
  const response = await fetch(media.url);
  if (response.status === 404) return null;
  expect(response.headers.get('content-type')).toBe('video/mp4');
  const folder = mkdtempSync(join(tmpdir(), 'recording-'));
  try {
    const file = join(folder, 'recording.mp4');
    writeFileSync(file, Buffer.from(await response.arrayBuffer()));
    return await readRecording(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const lengthOf = (recording: Recording | null) => recording?.pictures.at(-1)?.time ?? 0;

test('streams every playable item, goes on after its ingest and its worker were killed, and leaves no task behind', async () => {
  const created = await stack.api('POST', '/integrations/youtube/broadcasts', {
    profile_name: 'Demo',
    title: 'All day long',
    privacyStatus: 'private',
    playlist_id: await createPlaylist(),
    is_loop: true,
  });
  expect(created).toMatchObject({ status: 200, body: { status: 'pending' } });
  const { session_id, broadcast_id } = created.body;

  const [worker] = await stack.until('a worker is started', async () => {
    const running = await tasksOf(session_id);
    return running.length === 1 && running;
  });
  await stack.advance(60);
  await stack.until('the broadcast is live', async () => (await session()).status === 'live');
  await stack.until(
    'the ingest receives the stream',
    async () => lengthOf(await recordingOf(broadcast_id)) > 1000,
  );
  await stack.control('DELETE', '/_control/streams');
  await stack.until(
    'the whole playlist was streamed after that',
    async () => lengthOf(await recordingOf(broadcast_id)) > LOOP_MS + 1000,
  );

  await stack.local('DELETE', `/_local/tasks/${worker!.id}`);
  const before = lengthOf(await recordingOf(broadcast_id));
  await stack.until(
    'another worker streams',
    async () => lengthOf(await recordingOf(broadcast_id)) > before + 1000,
  );
  expect(await tasksOf(session_id)).toHaveLength(1);
  expect((await session()).status).toBe('live');
  // A busy machine shows an item late: it waits for its decoder, and the recording grows meanwhile.
  await stack.until('every item was seen', async () => {
    const recording = await recordingOf(broadcast_id);
    return recording && COLORS.every(color => picturesOf(recording, color) > 25);
  });

  const stopped = await stack.api('POST', `/integrations/youtube/broadcasts/${session_id}/stop`, {});
  expect(stopped).toMatchObject({ status: 200, body: { status: 'completed' } });
  await stack.until('no task is left', async () => (await tasksOf(session_id)).length === 0);
  await stack.until(
    'YouTube has completed it',
    async () => (await published(broadcast_id)).fields.life_cycle_status === 'complete',
  );
  expect(await session()).toMatchObject({ status: 'completed', error: null, stream_key: null });

  const recording = (await recordingOf(broadcast_id))!;
  expect(recording.goes_back).toBe(false);
  expect(recording.largest_step.video).toBeLessThan(200);
  expect(recording.largest_step.sound).toBeLessThan(200);
}, 600_000);

function picturesOf({ pictures }: Recording, color: YuvColor): number {
  return pictures.filter(({ color: [, u, v] }) => Math.abs(u - color[1]) < 25 && Math.abs(v - color[2]) < 25)
    .length;
}
