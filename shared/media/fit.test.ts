import { describe, expect, test } from '@jest/globals';
import { factsOfType, type MediaFacts, type MediaFormat } from '../model/media.ts';
import type { PlatformId } from '../model/platform.ts';
import { RULES } from '../platforms/registry.ts';
import type { PictureNeeds } from '../platforms/contract/pictures.ts';
import { MAX_PIXELS, pictureFaults, unmetNeeds, visibleChanges } from './fit.ts';

const TYPES = { JPG: 'image/jpeg', PNG: 'image/png', GIF: 'image/gif', WebP: 'image/webp', BMP: 'image/bmp' };
const picture = (format: keyof typeof TYPES & MediaFormat, change: Partial<MediaFacts> = {}): MediaFacts => ({
  ...factsOfType(TYPES[format], format, 1_000_000),
  width: 1200,
  height: 1000,
  animated: false,
  alpha: false,
  ...change,
});
const needsOf = (platform: PlatformId): PictureNeeds => RULES[platform].pictures!;

describe('a picture goes as it is, or is made anew', () => {
  test.each<[PlatformId, MediaFacts, RegExp | null]>([
    // B025, B026
    ['instagram', picture('PNG'), /Is PNG; must be one of JPG/],
    ['instagram', picture('JPG'), null],
    ['linkedin', picture('PNG', { alpha: true }), null],
    ['facebook', picture('WebP'), /Is WebP/],
    ['tiktok', picture('PNG'), /Is PNG/],
    ['threads', picture('PNG', { size: 8_000_001 }), /size is 8000001 bytes; at most 8000000 bytes/],
    ['bluesky', picture('JPG', { size: 2_000_001 }), /at most 2000000 bytes/],
    ['tiktok', picture('JPG', { width: 1080, height: 1921 }), /longer side is 1921 pixels; at most 1920/],
    ['tiktok', picture('JPG', { width: 1081, height: 1200 }), /shorter side is 1081 pixels; at most 1080/],
    ['telegram', picture('JPG', { width: 9000, height: 1001 }), /sum of width and height is 10001/],
    // B044
    ['linkedin', picture('JPG', { width: 6100, height: 6000 }), /area is 36600000 pixels; at most 36152320/],
    ['linkedin', picture('JPG', { width: 6000, height: 6000 }), null],
    // B043: the shape that counts is the one after the orientation.
    ['instagram', picture('JPG', { width: 3000, height: 4000 }), /ratio of width to height is 0.75/],
    ['instagram', picture('JPG', { width: 4000, height: 3000 }), null],
  ])('%s: %o %s', (platform, facts, unmet) => {
    const found = unmetNeeds(needsOf(platform), facts);
    if (unmet === null) expect(found).toEqual([]);
    else expect(found).toEqual([expect.stringMatching(unmet)]);
    expect(pictureFaults(needsOf(platform), facts)).toEqual([]);
  });
});

describe('a picture that moves', () => {
  const gif = (change: Partial<MediaFacts> = {}) => picture('GIF', { animated: true, ...change });

  // B040
  test.each<[PlatformId, MediaFacts, RegExp | null]>([
    ['x', gif({ size: 14_000_000 }), null],
    [
      'x',
      gif({ size: 16_000_000 }),
      /size is 16000000 bytes; at most 15728640 bytes; .* cannot be made anew/,
    ],
    ['x', gif({ width: 1281 }), /width is 1281 pixels; at most 1280 pixels/],
    ['linkedin', gif(), null],
    ['bluesky', gif(), null],
    ['pinterest', gif(), null],
    ['telegram', gif({ size: 30_000_000 }), null],
    ['instagram', picture('PNG', { animated: true }), /Moves; only still pictures/],
    ['tiktok', picture('WebP', { animated: true }), /Moves; only still pictures/],
    ['gbp', picture('PNG', { animated: true }), /Moves; only still pictures/],
    ['snapchat', picture('PNG', { animated: true }), /Moves; only still pictures/],
    ['threads', picture('PNG', { animated: true }), /Moves; only still pictures/],
  ])('%s: %o is refused with %s', (platform, facts, fault) => {
    const found = pictureFaults(needsOf(platform), facts);
    if (fault === null) expect(found).toEqual([]);
    else expect(found).toEqual([expect.stringMatching(fault)]);
  });

  test.each<[PlatformId, string[]]>([
    ['bluesky', ['Only the first frame is shown']],
    ['facebook', ['Only the first frame is shown']],
    ['x', []],
    ['linkedin', []],
  ])('is no still on %s without a word: %j', (platform, words) => {
    expect(visibleChanges(needsOf(platform), gif())).toEqual(words);
  });
});

describe('what cannot be made anew is refused before anything is unpacked', () => {
  const bomb = picture('PNG', { width: 30_000, height: 30_000, size: 3_000_000 });

  test('a bomb', () => {
    expect(pictureFaults(needsOf('instagram'), bomb)).toEqual([
      expect.stringContaining(`It has 900000000 pixels. The service makes pictures anew up to ${MAX_PIXELS}`),
    ]);
  });

  test('a file too large for the disk', () => {
    expect(pictureFaults(needsOf('facebook'), picture('JPG', { size: 400_000_000 }))).toEqual([
      expect.stringMatching(/size is 400000000 bytes; at most 4000000 bytes\. It has 400000000 bytes/),
    ]);
  });

  test('a format that is not read', () => {
    expect(pictureFaults(needsOf('telegram'), picture('BMP', { size: 20_000_000 }))).toEqual([
      expect.stringMatching(/makes no pictures from BMP/),
    ]);
  });

  test('not a large picture that goes as it is', () => {
    expect(pictureFaults(needsOf('pinterest'), { ...bomb, format: 'JPG', size: 19_000_000 })).toEqual([]);
  });
});

describe('what a viewer sees otherwise is told', () => {
  test('margins', () => {
    const tall = picture('JPG', { width: 720, height: 2160 });
    expect(visibleChanges(needsOf('instagram'), tall)).toEqual([
      'The ratio of width to height is 0.33; at least 0.8: it gets white margins',
    ]);
  });

  test('white under what is transparent', () => {
    const clear = picture('PNG', { alpha: true });
    expect(visibleChanges(needsOf('instagram'), clear)).toEqual(['White goes under what is transparent']);
    expect(visibleChanges(needsOf('linkedin'), clear)).toEqual([]);
    expect(visibleChanges(needsOf('threads'), clear)).toEqual([]);
  });
});
