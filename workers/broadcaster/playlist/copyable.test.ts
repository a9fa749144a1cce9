import { describe, expect, test } from '@jest/globals';
import { SMALL } from '../../../test/support/broadcast.ts';
import type { PictureFacts } from '../picture-facts.ts';
import { commonPictures, copyProblem } from './copyable.ts';

const config = (...bytes: number[]) => Buffer.from(bytes).toString('base64');

const FACTS: PictureFacts = {
  is_mp4: true,
  codec: 'avc1',
  config: config(1, 0x64, 0, 0x0d, 0xff),
  width: SMALL.width,
  height: SMALL.height,
  is_yuv420p: true,
  is_upright: true,
  has_square_pixels: true,
  pictures: 150,
  declared: 150,
  order_problem: null,
  delay: 2,
  key_distance: 4 * SMALL.fps,
  mean_bit_rate: 1.5 * SMALL.bit_rate,
  peak_bit_rate: 3 * SMALL.bit_rate,
  largest: 100_000,
  sound_excess_s: 0.02,
};

describe('the pictures of a file', () => {
  test('are copied where everything fits the stream', () => {
    expect(copyProblem(FACTS, SMALL)).toBeNull();
  });

  test.each<[string, Partial<PictureFacts>, string]>([
    ['another container', { is_mp4: false }, 'neither MP4 nor MOV'],
    ['another codec', { codec: 'hev1' }, 'not H.264'],
    ['configurations between the pictures', { codec: 'avc3' }, 'not H.264 (avc1)'],
    ['lengths of 2 bytes', { config: config(1, 0x64, 0, 0x0d, 0xfd) }, 'lengths of 4 bytes'],
    ['no configuration', { config: '' }, 'lengths of 4 bytes'],
    ['other pixels', { is_yuv420p: false }, '4:2:0'],
    ['another width', { width: 320 }, 'size'],
    ['another height', { height: 92 }, 'size'],
    ['a rotation', { is_upright: false }, 'rotated'],
    ['oblong pixels', { has_square_pixels: false }, 'not square'],
    ['no pictures', { pictures: 0, declared: 0 }, 'index'],
    ['pictures that the index does not declare', { declared: 0 }, 'index'],
    ['a wrong order', { order_problem: 'A group is open' }, 'A group is open'],
    ['rare key frames', { key_distance: 4 * SMALL.fps + 1 }, 'key frames'],
    ['a high bit rate', { mean_bit_rate: 1.5 * SMALL.bit_rate + 1 }, 'bit rate is too high'],
    ['a high peak', { peak_bit_rate: 3 * SMALL.bit_rate + 1 }, 'few seconds'],
    ['a huge picture', { largest: 5e6 }, 'too large'],
    ['sound without pictures', { sound_excess_s: 1 }, 'sound is longer'],
  ])('are encoded for %s', (_, facts, reason) => {
    expect(copyProblem({ ...FACTS, ...facts }, SMALL)).toContain(reason);
  });
});

describe('files', () => {
  test('have the longest delay and the highest peak in common', () => {
    expect(commonPictures([FACTS, { ...FACTS, delay: 3, peak_bit_rate: 100 }])).toEqual({
      config: FACTS.config,
      delay: 3,
      bit_rate: FACTS.peak_bit_rate,
    });
  });

  test('with unlike configurations have nothing in common, nor have none', () => {
    expect(commonPictures([FACTS, { ...FACTS, config: config(1, 0x4d, 0, 0x0d, 0xff) }])).toBeNull();
    expect(commonPictures([])).toBeNull();
  });
});
