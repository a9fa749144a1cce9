import { afterAll, describe, expect } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testWith } from '../../test/support/tools.ts';
import type { MediaFormat } from '../model/media.ts';
import { checkBytesIntegrity } from './check-integrity.ts';

/** Files in common variants, written by ffmpeg rather than by this project. */
const VARIANTS: readonly [name: string, format: MediaFormat, options: string][] = [
  ['h264.mp4', 'MP4', '-c:v libx264 -c:a aac'],
  ['faststart.mp4', 'MP4', '-c:v libx264 -c:a aac -movflags +faststart'],
  ['fragments.mp4', 'MP4', '-c:v libx264 -c:a aac -movflags frag_keyframe+empty_moov'],
  ['apple.m4v', 'MP4', '-c:v libx264 -c:a aac'],
  ['mpeg4.mov', 'MOV', '-c:v mpeg4 -c:a aac'],
  ['phone.3gp', '3GP', '-c:v h263 -s 176x144 -c:a aac'],
  ['xvid.avi', 'AVI', '-c:v mpeg4 -c:a libmp3lame'],
  ['windows.wmv', 'WMV', '-c:v wmv2 -c:a wmav2'],
  ['flash.flv', 'FLV', '-c:v flv -c:a libmp3lame -ar 44100'],
  ['h264.flv', 'FLV', '-c:v libx264 -c:a aac'],
  ['vp9.webm', 'WebM', '-c:v libvpx-vp9 -deadline realtime -c:a libopus'],
  ['h264.mkv', 'MKV', '-c:v libx264 -c:a libvorbis'],
  ['moving.gif', 'GIF', '-an -r 5'],
  ['still.jpg', 'JPG', '-an -frames:v 1'],
  ['still.png', 'PNG', '-an -frames:v 1'],
  ['still.bmp', 'BMP', '-an -frames:v 1'],
  ['still.webp', 'WebP', '-an -frames:v 1'],
  ['moving.webp', 'WebP', '-an -r 5 -c:v libwebp_anim'],
];
const SOURCE = '-f lavfi -i testsrc2=s=320x240:d=1:r=24 -f lavfi -i sine=d=1';

const folder = mkdtempSync(join(tmpdir(), 'real-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const testReal = testWith('ffmpeg');

describe('the integrity check of a file that ffmpeg wrote', () => {
  testReal.each(VARIANTS)('accepts %s as %s, and refuses it truncated', async (name, format, options) => {
    const path = join(folder, name);
    const words = `-v error ${SOURCE} ${options}`.split(' ');
    await promisify(execFile)('ffmpeg', [...words, path]);
    const bytes = readFileSync(path);
    expect(await checkBytesIntegrity(bytes)).toEqual({ format });
    // A fragmented MP4 is complete after each fragment.
    if (name === 'fragments.mp4') return;
    for (const part of [0.2, 0.6, 0.95]) {
      const cut = bytes.subarray(0, Math.floor(bytes.length * part));
      expect({ part, ...(await checkBytesIntegrity(cut)) }).toEqual({
        part,
        problem: expect.stringMatching(/damaged/),
      });
    }
  });
});
