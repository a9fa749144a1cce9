import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodersOf, startBroadcast, type BroadcastProcess } from '../../test/support/broadcast.ts';
import { clipHost, type ClipHost } from '../../test/support/clip-host.ts';
import type { YuvColor } from '../../test/support/clip.ts';
import { startLink } from '../../test/support/link.ts';
import { readRecording, type Recording } from '../../test/support/recording.ts';
import { startRtmpServer, type RtmpServer } from '../../test/support/rtmp-server.ts';

/* The broadcaster as a process, against a real RTMP server whose recording is decoded again. */

const RED = [81, 90, 240] as const;
const GREEN = [145, 54, 34] as const;
const BLUE = [41, 240, 110] as const;
const CLIP = { width: 160, height: 90, fps: 30, seconds: 1 };
const TICKS = 15;
/** The first picture is sent without a wait. */
const SHOWN_AT_ONCE_MS = 1000 / 15;

let host: ClipHost;
let rtmp: RtmpServer;
let streams = 0;
const running: BroadcastProcess[] = [];

beforeAll(async () => {
  rtmp = await startRtmpServer();
  host = await clipHost(
    {
      'h264.mp4': { ...CLIP, video: 'libx264', sound: 'aac', color: RED },
      'mpeg4.avi': { ...CLIP, video: 'mpeg4', sound: null, color: GREEN },
      'vp8.webm': {
        ...CLIP,
        video: 'libvpx',
        sound: 'libopus',
        width: 90,
        height: 160,
        fps: 25,
        color: BLUE,
      },
      'long.mp4': { ...CLIP, video: 'libx264', sound: 'aac', fps: 15, seconds: 20, color: RED },
    },
    bytes => ({
      'truncated.mp4': bytes('h264.mp4').subarray(0, bytes('h264.mp4').length * 0.6),
      'truncated.webm': bytes('vp8.webm').subarray(0, bytes('vp8.webm').length * 0.6),
    }),
  );
});

afterAll(async () => {
  await rtmp.close();
  await host.close();
});

afterEach(async () => {
  for (const broadcast of running.splice(0)) {
    broadcast.signal('SIGKILL');
    await broadcast.ended;
  }
});

function start(names: string[], more: Partial<Parameters<typeof startBroadcast>[0]> = {}) {
  streams += 1;
  const ingest = { ...rtmp.ingest, key: `stream-${streams}` };
  const items = names.map(name => ({ id: name, url: host.url(name) }));
  const broadcast = startBroadcast({ ingest, items, limits: { heartbeat_ms: 100 }, ...more });
  running.push(broadcast);
  return broadcast;
}

test('plays every playable item of a playlist once, without a gap', async () => {
  const begun = performance.now();
  const broadcast = start([
    'h264.mp4',
    'mpeg4.avi',
    'missing.mp4',
    'vp8.webm',
    'truncated.mp4',
    'truncated.webm',
  ]);
  expect(await broadcast.ended).toEqual({ state: 'completed', error: null });

  // At the pace of real time.
  expect(performance.now() - begun).toBeGreaterThan(
    broadcast.beats.at(-1)!.heartbeat.streamed_ms - SHOWN_AT_ONCE_MS,
  );
  expect(broadcast.beats.at(-1)!.heartbeat.streamed_ms).toBeGreaterThan(3000);
  expect(broadcast.beats[0]!.heartbeat).toMatchObject({ state: 'starting', streamed_ms: 0 });
  expect(broadcast.beats.map(({ heartbeat }) => heartbeat)).toContainEqual(
    expect.objectContaining({ state: 'live', item_index: 0, behind_ms: 0 }),
  );

  const reports = Object.fromEntries(broadcast.items.map(item => [item.item_id, item]));
  expect(reports).toMatchObject({
    'h264.mp4': { outcome: 'played', failure: null },
    'mpeg4.avi': { outcome: 'played', failure: null },
    'missing.mp4': { outcome: 'skipped', failure: { code: 'HTTP_STATUS' } },
    'vp8.webm': { outcome: 'played', failure: null },
    'truncated.mp4': { outcome: 'skipped', failure: { code: 'NOT_PLAYABLE' } },
    'truncated.webm': { outcome: 'incomplete', failure: { code: 'CUT_SHORT' } },
  });

  const recording = await readRecording(await rtmp.recording());
  expect(recording.goes_back).toBe(false);
  expect(recording.largest_step.video).toBeLessThan(200);
  expect(recording.largest_step.sound).toBeLessThan(200);
  expect(picturesOf(recording, RED)).toBeGreaterThanOrEqual(TICKS - 1);
  expect(picturesOf(recording, GREEN)).toBeGreaterThanOrEqual(TICKS - 1);
  expect(picturesOf(recording, BLUE)).toBeGreaterThanOrEqual(1.5 * TICKS - 2);
  // Where the stream has sound, it is the tone of the items: only the mute item and waiting are silent.
  const silent = recording.sound.filter(({ level }) => level < 0.1).length * (1024 / 48);
  const waited = broadcast.items.reduce((sum, { waited_ms }) => sum + waited_ms, 0);
  expect(silent).toBeLessThanOrEqual(1000 + waited + 300);
});

test('goes on with the next item when a decoder is killed', async () => {
  const broadcast = start(['long.mp4', 'mpeg4.avi']);
  await broadcast.until(() => (broadcast.last()?.streamed_ms ?? 0) > 0);
  for (const pid of decodersOf(broadcast)) process.kill(pid, 'SIGKILL');
  expect(await broadcast.ended).toEqual({ state: 'completed', error: null });
  expect(broadcast.items).toMatchObject([
    { item_id: 'long.mp4', outcome: 'incomplete', failure: { code: 'CRASHED' } },
    { item_id: 'mpeg4.avi', outcome: 'played' },
  ]);
});

test('fails with the reason when nothing can be played', async () => {
  const broadcast = start(['missing.mp4']);
  expect(await broadcast.ended).toEqual({
    state: 'failed',
    error: { code: 'NO_PLAYABLE_ITEM', message: 'HTTP_STATUS: The host answered 404' },
  });
});

test('repeats the playlist, connects again to a lost ingest, and ends the stream when it is stopped', async () => {
  const broadcast = start(['h264.mp4'], { is_loop: true });
  await broadcast.until(() => broadcast.items.length > 0);
  await rtmp.kill();
  await broadcast.until(() => broadcast.last()?.state === 'reconnecting');
  const before = broadcast.last()!.streamed_ms;
  await broadcast.until(() => broadcast.last()!.streamed_ms > before + 1000);
  await rtmp.start();
  await broadcast.until(() => broadcast.last()?.state === 'live');
  const connected = broadcast.last()!.streamed_ms;
  await broadcast.until(() => broadcast.last()!.streamed_ms > connected + 1500);
  broadcast.signal('SIGTERM');
  expect(await broadcast.ended).toEqual({ state: 'stopped', error: null });
  expect(broadcast.last()!.ingest.losses).toBe(1);
  expect(broadcast.items.every(({ outcome }) => outcome === 'played')).toBe(true);

  const recording = await readRecording(await rtmp.recording());
  expect(recording.pictures[0]!.time).toBeLessThan(500);
  expect(recording.goes_back).toBe(false);
  expect(recording.largest_step.video).toBeLessThan(200);
  expect(picturesOf(recording, RED)).toBeGreaterThan(15);
});

/** Long outages pass in seconds: the ingest is real, but the broadcast has a faster clock. */
const SPEED = 20;

test.each([5, 60])('goes on after %i seconds in which the ingest refuses connections', async seconds => {
  const link = await startLink(rtmp.ingest.url);
  try {
    const ingest = { url: link.url, key: `away-for-${seconds}` };
    const broadcast = start(['long.mp4'], { is_loop: true, speed: SPEED, ingest });
    const streamed = () => broadcast.last()?.streamed_ms ?? 0;
    const untilStreamed = (ms: number) => broadcast.until(() => streamed() > ms);
    await untilStreamed(3000);

    await link.cut();
    const cutAt = streamed();
    await broadcast.until(() => /ECONNREFUSED/.test(broadcast.last()?.ingest.last_error ?? ''));
    await untilStreamed(cutAt + seconds * 1000);
    expect(broadcast.last()).toMatchObject({ state: 'reconnecting', ingest: { losses: 1 } });

    await link.mend();
    await broadcast.until(() => broadcast.last()?.state === 'live');
    await untilStreamed(streamed() + 3000);
    broadcast.signal('SIGTERM');
    expect(await broadcast.ended).toEqual({ state: 'stopped', error: null });

    // The server goes on in the same record, which holds all but the outage.
    const recording = await readRecording(await rtmp.recording());
    expect(recording.goes_back).toBe(false);
    expect(recording.largest_step.video).toBeLessThan(200);
    expect(recording.largest_step.sound).toBeLessThan(200);
    const recorded = recording.pictures.at(-1)!.time;
    expect(recorded).toBeGreaterThan(5000);
    expect(recorded).toBeLessThan(streamed() - seconds * 900);
  } finally {
    await link.close();
  }
});

test('leaves no decoder behind when it is killed', async () => {
  const broadcast = start(['long.mp4']);
  await broadcast.until(() => (broadcast.last()?.streamed_ms ?? 0) > 0);
  const decoders = decodersOf(broadcast);
  expect(decoders).not.toEqual([]);
  broadcast.signal('SIGKILL');
  expect(await broadcast.ended).toBeNull();
  while (decoders.some(isAlive)) await sleep(20);
});

function picturesOf({ pictures }: Recording, color: YuvColor): number {
  return pictures.filter(({ color: [, u, v] }) => Math.abs(u - color[1]) < 25 && Math.abs(v - color[2]) < 25)
    .length;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
