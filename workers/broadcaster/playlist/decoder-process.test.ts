import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DECODER, SMALL } from '../../../test/support/broadcast.ts';
import { mediaHost, type MediaHost } from '../../../test/support/media-host.ts';
import { testOrigin, type TestOrigin } from '../../../test/support/origin.ts';
import { startDecoder, type DecoderLimits, type DecoderSettings } from './decoder-process.ts';

const FORMAT = { width: SMALL.width, height: SMALL.height, fps: SMALL.fps };

/** Plays a URL to its end and returns the number of its ticks. */
async function play(url: string, settings: DecoderSettings = DECODER) {
  const decoder = startDecoder(
    { url, format: FORMAT, net: settings.net, task: { type: 'decode' } },
    settings,
  );
  let ticks = 0;
  while (!decoder.hasEnded()) {
    while (decoder.take()) ticks += 1;
    await sleep(10);
  }
  return { ticks, failure: decoder.failure(), duration_ms: decoder.duration_ms() };
}

describe('a file', () => {
  let media: MediaHost;
  beforeAll(async () => {
    media = await mediaHost();
  });
  afterAll(() => media.close());

  test('is shown for its duration, a picture for five seconds', async () => {
    const names = ['photo.jpg', 'clip.mov', 'clip.mp4?range=off'];
    const [photo, mov, streamed] = await Promise.all(names.map(name => play(`${media.url}/${name}`)));
    expect(photo).toMatchObject({ ticks: 75, failure: null });
    expect(mov!.failure).toBeNull();
    expect(Math.abs((mov!.ticks * 1000) / 15 - mov!.duration_ms!)).toBeLessThan(150);
    expect(streamed!.failure).toBeNull();
  });

  const canRun =
    process.getuid?.() === 0 &&
    spawnSync(process.execPath, ['-e', 'require("fs").accessSync(process.argv[1])', DECODER.program], {
      uid: 65_534,
      gid: 65_534,
    }).status === 0;
  (canRun ? test : test.skip)('is decoded by a user without rights', async () => {
    expect(await play(`${media.url}/photo.jpg`, { ...DECODER, user_id: 65_534 })).toMatchObject({
      ticks: 75,
      failure: null,
    });
  });
});

test('never opens the files that a list refers to', async () => {
  const requested: string[] = [];
  const origin: TestOrigin = await testOrigin((request, response) => {
    requested.push(request.url!);
    response.end(listOf(`${origin.url}/inner.ts`, request.url!));
  });
  const results = await Promise.all([play(`${origin.url}/list.m3u8`), play(`${origin.url}/list.ffconcat`)]);
  await origin.close();
  for (const result of results) expect(result).toMatchObject({ ticks: 0, failure: { code: 'NOT_PLAYABLE' } });
  expect(requested.sort()).toEqual(['/list.ffconcat', '/list.m3u8']);
});

function listOf(url: string, path: string): string {
  return path.endsWith('m3u8')
    ? `#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n${url}\n#EXT-X-ENDLIST\n`
    : `ffconcat version 1.0\nfile '${url}'\n`;
}

describe('a decoder process', () => {
  const program = fileURLToPath(new URL('../../../test/support/fake-decoder.mjs', import.meta.url));
  const misbehave = (url: string, limits: Partial<DecoderLimits>) =>
    play(url, { ...DECODER, program, limits: { ...DECODER.limits, ...limits } });

  test('is killed when it does not begin, stops, or uses too much memory', async () => {
    const results = await Promise.all([
      misbehave('silent', { open_ms: 1000 }),
      misbehave('stalling', { stall_ms: 1000 }),
      misbehave('greedy', { memory_bytes: 200e6 }),
      misbehave('crashing', {}),
    ]);
    expect(results.map(({ ticks, failure }) => [ticks, failure?.code])).toEqual([
      [0, 'SLOW'],
      [1, 'STALLED'],
      [1, 'MEMORY'],
      [1, 'CRASHED'],
    ]);
  });

  test('is reported when it cannot be started', async () => {
    expect(await play('any', { ...DECODER, program: '/does/not/exist.ts' })).toMatchObject({
      ticks: 0,
      failure: { code: 'CRASHED' },
    });
  });
});
