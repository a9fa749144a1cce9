import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fetchAccessUnits } from '../support/access-units.ts';
import { clipHost, type ClipHost } from '../support/clip-host.ts';
import type { Clip, YuvColor } from '../support/clip.ts';
import { closeStack } from '../support/e2e.ts';
import type { Recording } from '../support/recording.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { TestStack } from '../support/stack.ts';
import { createBroadcast } from '../support/streamed-broadcast.ts';

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
/** As the stream itself: their pictures need not be encoded again. */
const ALIKE: Readonly<Record<string, Clip>> = {
  'red.mp4': { ...CLIP, width: 320, height: 180, b_frames: 2, video: 'libx264', sound: 'aac', color: RED },
  'green.mp4': {
    ...CLIP,
    width: 320,
    height: 180,
    b_frames: 2,
    video: 'libx264',
    sound: 'aac',
    color: GREEN,
  },
};
const ITEMS = ['h264.mp4', 'mpeg4.avi', 'missing.mp4', 'vp8.webm', 'truncated.mp4'];
const LOOP_MS = 6000;

let stack: TestStack;
let host: ClipHost;

beforeAll(async () => {
  host = await clipHost({ ...CLIPS, ...ALIKE }, bytes => ({
    'truncated.mp4': bytes('h264.mp4').subarray(0, 2000),
  }));
  stack = await sharedStack(['youtube']);
}, 600_000);
afterAll(async () => {
  await closeStack(stack);
  await host.close();
});

test('streams every playable item, goes on after its ingest and its worker were killed, and leaves no task behind', async () => {
  const broadcast = await createBroadcast(stack, host, ITEMS);
  const { session, tasks, published, recording: read, recordedMs } = broadcast;
  expect(await session()).toMatchObject({ status: 'pending' });

  const [worker] = await stack.until('a worker is started', async () => {
    const running = await tasks();
    return running.length === 1 && running;
  });
  await stack.advance(60);
  await stack.until('the broadcast is live', async () => (await session()).status === 'live');
  await stack.until('the ingest receives the stream', async () => (await recordedMs()) > 1000);
  await stack.control('DELETE', '/_control/streams');
  await stack.until(
    'the whole playlist was streamed after that',
    async () => (await recordedMs()) > LOOP_MS + 1000,
  );

  await stack.local('DELETE', `/_local/tasks/${worker!.id}`);
  const before = await recordedMs();
  await stack.until('another worker streams', async () => (await recordedMs()) > before + 1000);
  expect(await tasks()).toHaveLength(1);
  expect((await session()).status).toBe('live');
  // A busy machine shows an item late: it waits for its decoder, and the recording grows meanwhile.
  await stack.until('every item was seen', async () => {
    const recording = await read();
    return recording && COLORS.every(color => picturesOf(recording, color) > 25);
  });

  const stopped = await stack.api('POST', `/integrations/youtube/broadcasts/${broadcast.sessionId}/stop`, {});
  expect(stopped).toMatchObject({ status: 200, body: { status: 'completed' } });
  await stack.until('no task is left', async () => (await tasks()).length === 0);
  await stack.until(
    'YouTube has completed it',
    async () => (await published()).fields.life_cycle_status === 'complete',
  );
  expect(await session()).toMatchObject({ status: 'completed', error: null, stream_key: null });

  const recording = (await read())!;
  expect(recording.goes_back).toBe(false);
  expect(recording.largest_step.video).toBeLessThan(200);
  expect(recording.largest_step.sound).toBeLessThan(200);
}, 600_000);

test('sends the pictures of a playlist as they are where all items allow it', async () => {
  const broadcast = await createBroadcast(stack, host, Object.keys(ALIKE));
  const { session, tasks, published, recordedMs } = broadcast;
  await stack.until('a worker is started', async () => (await tasks()).length === 1);
  await stack.advance(60);
  await stack.until('the broadcast is live', async () => (await session()).status === 'live');
  await stack.until('both files were streamed', async () => (await recordedMs()) > 2 * LOOP_MS);
  await stack.api('POST', `/integrations/youtube/broadcasts/${broadcast.sessionId}/stop`, {});
  await stack.until('no task is left', async () => (await tasks()).length === 0);

  const files = await Promise.all(Object.keys(ALIKE).map(name => fetchAccessUnits(host.url(name))));
  const [recorded] = (await published()).media;
  const sent = await fetchAccessUnits(recorded!.url);
  const stored = new Set(files.flat().map(({ hash }) => hash));
  expect(new Set(sent.map(({ hash }) => hash))).toEqual(stored);
}, 600_000);

function picturesOf({ pictures }: Recording, color: YuvColor): number {
  return pictures.filter(({ color: [, u, v] }) => Math.abs(u - color[1]) < 25 && Math.abs(v - color[2]) < 25)
    .length;
}
