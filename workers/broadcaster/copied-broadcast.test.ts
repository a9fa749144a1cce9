import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { fetchAccessUnits, readAccessUnits, type AccessUnit } from '../../test/support/access-units.ts';
import { decodersOf, SMALL, startBroadcast, type BroadcastProcess } from '../../test/support/broadcast.ts';
import { clipHost, type ClipHost } from '../../test/support/clip-host.ts';
import { startLink } from '../../test/support/link.ts';
import { readRecording } from '../../test/support/recording.ts';
import { startRtmpServer, type RtmpServer } from '../../test/support/rtmp-server.ts';

/* Broadcasts whose pictures are sent as they are in their files, to a real RTMP server. */

const RED = [81, 90, 240] as const;
const GREEN = [145, 54, 34] as const;
const { width, height, fps } = SMALL;
const CLIP = { width, height, fps, seconds: 2, video: 'libx264', sound: 'aac', b_frames: 2 } as const;
const TICK_MS = 1000 / fps;

let host: ClipHost;
let rtmp: RtmpServer;
let streams = 0;
const running: BroadcastProcess[] = [];

beforeAll(async () => {
  rtmp = await startRtmpServer();
  host = await clipHost({
    'red.mp4': { ...CLIP, color: RED },
    'green.mov': { ...CLIP, color: GREEN },
    'long.mp4': { ...CLIP, seconds: 20, color: RED },
    'no-b-frames.mp4': { ...CLIP, b_frames: 0, color: GREEN },
    'mpeg4.avi': { ...CLIP, b_frames: 0, video: 'mpeg4', color: GREEN },
  });
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
  const broadcast = startBroadcast({
    ingest,
    items,
    may_copy: true,
    limits: { heartbeat_ms: 100 },
    ...more,
  });
  running.push(broadcast);
  return broadcast;
}

const unitsOf = async (...names: string[]) =>
  (await Promise.all(names.map(name => fetchAccessUnits(host.url(name))))).flat();
const hashes = (units: readonly AccessUnit[]) => units.map(({ hash }) => hash);

test('sends the pictures of alike files unchanged, one item after the other without a gap', async () => {
  const names = ['red.mp4', 'green.mov', 'red.mp4'];
  const broadcast = start(names);
  expect(await broadcast.ended).toEqual({ state: 'completed', error: null });
  expect(broadcast.survey()).toMatchObject({ reason: null, copied: { delay: 1 } });
  expect(broadcast.items.map(({ outcome }) => outcome)).toEqual(['played', 'played', 'played']);

  const path = await rtmp.recording();
  const files = await unitsOf(...names);
  const sent = await readAccessUnits(path);
  expect(hashes(sent)).toEqual(hashes(files));
  expect(sent.map(({ is_key }) => is_key)).toEqual(files.map(({ is_key }) => is_key));
  // FLV has whole milliseconds. Only a busy machine that is late with a tick makes a gap, which is counted.
  const steps = sent.slice(1).map(({ dts }, index) => (dts - sent[index]!.dts) / TICK_MS);
  for (const step of steps) expect(Math.abs(step - Math.max(1, Math.round(step)))).toBeLessThan(0.05);
  const gaps = steps.reduce((sum, step) => sum + Math.round(step) - 1, 0);
  expect(gaps).toBe(fillersOf(broadcast));

  const { pictures, sound, largest_step, goes_back } = await readRecording(path);
  expect(pictures).toHaveLength(files.length);
  expect(pictures.filter(({ color }) => Math.abs(color[1] - RED[1]) < 25)).toHaveLength(4 * fps);
  expect(goes_back).toBe(false);
  expect(largest_step.sound).toBeLessThan(25);
  // An item's encoder begins with a part of a packet in silence.
  const silent = sound.filter(({ level }) => level < 0.1).length * (1024 / 48);
  expect(silent).toBeLessThanOrEqual(names.length * 50 + gaps * TICK_MS);
});

test.each([
  ['mpeg4.avi', 'Item 2: the file is neither MP4 nor MOV'],
  ['missing.mp4', 'Item 2: The host answered 404'],
  ['no-b-frames.mp4', 'The items have unlike decoder configurations'],
])('encodes all items where one is %s', async (name, reason) => {
  const broadcast = start(['red.mp4', name]);
  expect(await broadcast.ended).toEqual({ state: 'completed', error: null });
  expect(broadcast.survey()).toEqual({ copied: null, reason });
  expect(broadcast.items.find(({ item_id }) => item_id === 'red.mp4')).toMatchObject({ outcome: 'played' });
  const sent = hashes(await readAccessUnits(await rtmp.recording()));
  expect(sent).not.toContain((await unitsOf('red.mp4'))[0]!.hash);
});

test('goes on with the key frame of the next item when a process is killed', async () => {
  const broadcast = start(['long.mp4', 'green.mov']);
  await broadcast.until(() => (broadcast.last()?.streamed_ms ?? 0) > 1000);
  for (const pid of decodersOf(broadcast)) process.kill(pid, 'SIGKILL');
  expect(await broadcast.ended).toEqual({ state: 'completed', error: null });
  expect(broadcast.items).toMatchObject([
    { item_id: 'long.mp4', outcome: 'incomplete', failure: { code: 'CRASHED' } },
    { item_id: 'green.mov', outcome: 'played' },
  ]);
  const path = await rtmp.recording();
  const next = await unitsOf('green.mov');
  expect(hashes(await readAccessUnits(path)).slice(-next.length)).toEqual(hashes(next));
  const recording = await readRecording(path);
  expect(recording.goes_back).toBe(false);
  // Silence goes on where no picture is sent.
  expect(recording.largest_step.sound).toBeLessThan(25);
});

test('skips an item that has changed since the survey', async () => {
  const changed = ['no-b-frames.mp4', 'mpeg4.avi'].map(name => ({
    id: name,
    url: host.url('red.mp4'),
    played_url: host.url(name),
  }));
  const broadcast = start([], { items: [...changed, { id: 'green.mov', url: host.url('green.mov') }] });
  expect(await broadcast.ended).toEqual({ state: 'completed', error: null });
  expect(broadcast.survey()?.copied).not.toBeNull();
  // A prepared item is reported as soon as it has failed.
  expect(broadcast.items).toHaveLength(3);
  for (const { id } of changed) {
    const report = broadcast.items.find(({ item_id }) => item_id === id);
    expect(report).toMatchObject({ outcome: 'skipped', failure: { code: 'CHANGED' } });
  }
  const sent = hashes(await readAccessUnits(await rtmp.recording()));
  expect(sent).toEqual(hashes(await unitsOf('green.mov')));
});

test('goes on with a key frame after the ingest was lost', async () => {
  const link = await startLink(rtmp.ingest.url);
  try {
    const ingest = { url: link.url, key: 'away-while-copying' };
    const broadcast = start(['long.mp4'], { is_loop: true, speed: 10, ingest });
    const streamed = () => broadcast.last()?.streamed_ms ?? 0;
    const untilStreamed = (ms: number) => broadcast.until(() => streamed() > ms);
    await untilStreamed(3000);
    await link.cut();
    await broadcast.until(() => broadcast.last()?.state === 'reconnecting');
    await untilStreamed(streamed() + 5000);
    await link.mend();
    await broadcast.until(() => broadcast.last()?.state === 'live');
    await untilStreamed(streamed() + 5000);
    broadcast.signal('SIGTERM');
    expect(await broadcast.ended).toEqual({ state: 'stopped', error: null });

    // The server goes on in the same record.
    const path = await rtmp.recording();
    const file = await unitsOf('long.mp4');
    const sent = await readAccessUnits(path);
    expect(jumpsOf(sent, file).map(({ is_key }) => is_key)).toEqual([true]);
    const recording = await readRecording(path);
    expect(recording.goes_back).toBe(false);
    expect(recording.largest_step.sound).toBeLessThan(200);
  } finally {
    await link.close();
  }
});

/** Returns what does not follow the picture before it in a file that is repeated. Only key frames are unique. */
function jumpsOf(sent: readonly AccessUnit[], file: readonly AccessUnit[]): AccessUnit[] {
  let place = -1;
  return sent.filter(({ hash }) => {
    place = (place + 1) % file.length;
    if (file[place]!.hash === hash) return false;
    place = hashes(file).indexOf(hash);
    return true;
  });
}

/** Ticks without a picture. Each item has waited a tick more: the one at which it has ended. */
function fillersOf({ items }: BroadcastProcess): number {
  const waited = items.reduce((sum, { waited_ms }) => sum + waited_ms, 0);
  return Math.round(waited / TICK_MS) - items.length;
}
