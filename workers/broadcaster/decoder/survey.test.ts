import { expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMALL } from '../../../test/support/broadcast.ts';
import { writeClip, type Clip } from '../../../test/support/clip.ts';
import type { ByteSource } from './byte-source.ts';
import { surveyFile } from './survey.ts';

const { width, height, fps } = SMALL;
const CLIP: Clip = {
  width,
  height,
  fps,
  seconds: 20,
  video: 'libx264',
  sound: 'aac',
  color: [81, 90, 240],
  b_frames: 2,
  // A constant bit rate: plain pictures alone would be a small file.
  x264: 'nal-hrd=cbr:bitrate=4000:vbv-maxrate=4000:vbv-bufsize=4000',
};

async function clipBytes(clip: Clip): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'survey-'));
  try {
    const path = join(folder, 'clip.mp4');
    await writeClip(path, clip);
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Counts the bytes that are read. */
function sourceOf(bytes: Buffer): ByteSource & { counted: () => number } {
  let at = 0;
  let count = 0;
  return {
    size: bytes.length,
    canSeek: true,
    read: length => {
      const found = bytes.subarray(at, at + length);
      at += found.length;
      count += found.length;
      return Promise.resolve(found.length === 0 ? null : Buffer.from(found));
    },
    position: () => at,
    seek: to => (at = to),
    failure: () => null,
    close: () => undefined,
    counted: () => count,
  };
}

test('reads the index of a file, and no more of its pictures than it needs to know their kind', async () => {
  const bytes = await clipBytes(CLIP);
  const source = sourceOf(bytes);
  const facts = await surveyFile(source, SMALL);
  expect(facts).toMatchObject({
    is_mp4: true,
    codec: 'avc1',
    width,
    height,
    is_yuv420p: true,
    is_upright: true,
    has_square_pixels: true,
    pictures: 20 * fps,
    declared: 20 * fps,
    order_problem: null,
    delay: 1,
    key_distance: fps,
  });
  expect(facts.mean_bit_rate).toBeGreaterThan(3_000_000);
  expect(facts.peak_bit_rate).toBeGreaterThanOrEqual(facts.mean_bit_rate);
  expect(Math.abs(facts.sound_excess_s)).toBeLessThan(0.1);
  expect(bytes.length).toBeGreaterThan(8_000_000);
  expect(source.counted()).toBeLessThan(bytes.length / 4);
});
