import { describe, expect, test } from '@jest/globals';
import { factsOfType, type MediaFacts, type MediaFormat } from '../../model/media.ts';
import type { PlatformId } from '../../model/platform.ts';
import { RULES } from '../../platforms/registry/rules.ts';
import type { SentAs } from '../../platforms/contract/media-files.ts';
import type { PictureNeeds } from '../../platforms/contract/pictures.ts';
import { decidePicture, MAX_CONVERTED_PIXELS, pictureProblems, unmetNeeds } from './picture-needs.ts';

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

describe('an image is sent unchanged or converted', () => {
  test.each<[PlatformId, MediaFacts, RegExp | null]>([
    // B025, B026
    ['instagram', picture('PNG'), /format is PNG; must be one of JPG/],
    ['instagram', picture('JPG'), null],
    ['linkedin', picture('PNG', { alpha: true }), null],
    ['facebook', picture('WebP'), /format is WebP/],
    ['tiktok', picture('PNG'), /format is PNG/],
    ['threads', picture('PNG', { size: 8_000_001 }), /size is 8000001 bytes; at most 8000000 bytes/],
    ['bluesky', picture('JPG', { size: 2_000_001 }), /at most 2000000 bytes/],
    ['tiktok', picture('JPG', { width: 1080, height: 1921 }), /longer side is 1921 pixels; at most 1920/],
    ['tiktok', picture('JPG', { width: 1081, height: 1200 }), /shorter side is 1081 pixels; at most 1080/],
    ['telegram', picture('JPG', { width: 9000, height: 1001 }), /sum of width and height is 10001/],
    // B044
    ['linkedin', picture('JPG', { width: 6100, height: 6000 }), /area is 36600000 pixels; at most 36152320/],
    ['linkedin', picture('JPG', { width: 6000, height: 6000 }), null],
    // B043: the aspect ratio after applying the orientation counts.
    ['instagram', picture('JPG', { width: 3000, height: 4000 }), /ratio of width to height is 0.75/],
    ['instagram', picture('JPG', { width: 4000, height: 3000 }), null],
  ])('%s: %o %s', (platform, facts, unmet) => {
    const found = unmetNeeds(needsOf(platform), facts);
    if (unmet === null) expect(found).toEqual([]);
    else expect(found).toEqual([expect.stringMatching(unmet)]);
    expect(pictureProblems(needsOf(platform), facts)).toEqual([]);
  });
});

describe('an animated image', () => {
  const gif = (change: Partial<MediaFacts> = {}) => picture('GIF', { animated: true, ...change });

  // B040
  test.each<[PlatformId, MediaFacts, RegExp | null]>([
    ['x', gif({ size: 14_000_000 }), null],
    [
      'x',
      gif({ size: 16_000_000 }),
      /size is 16000000 bytes; at most 15728640 bytes; .* cannot be converted/,
    ],
    ['x', gif({ width: 1281 }), /width is 1281 pixels; at most 1280 pixels/],
    // C016
    ['x', gif({ width: 64, height: 64, frames: 350 }), null],
    ['x', gif({ width: 64, height: 64, frames: 351 }), /number of frames is 351; at most 350/],
    ['x', gif({ width: 1280, height: 1080, frames: 217 }), null],
    [
      'x',
      gif({ width: 1280, height: 1080, frames: 218 }),
      /area of all frames is 301363200 pixels; at most 3/,
    ],
    ['x', gif({ frames: null }), null],
    // C032
    ['linkedin', gif({ frames: 250 }), null],
    ['linkedin', gif({ frames: 375 }), /number of frames is 375; at most 250/],
    ['linkedin', gif({ width: 6100, height: 6000, frames: 2 }), /area is 36600000 pixels/],
    ['linkedin', picture('PNG', { size: 40_000_000, width: 2000, height: 2000 }), null],
    ['linkedin', gif(), null],
    ['bluesky', gif(), null],
    ['pinterest', gif(), null],
    ['telegram', gif({ size: 30_000_000 }), null],
    ['instagram', picture('PNG', { animated: true }), /only still images/],
    ['tiktok', picture('WebP', { animated: true }), /only still images/],
    ['gbp', picture('PNG', { animated: true }), /only still images/],
    ['snapchat', picture('PNG', { animated: true }), /only still images/],
    ['threads', picture('PNG', { animated: true }), /only still images/],
  ])('on %s: %o gives %s', (platform, facts, problem) => {
    const found = pictureProblems(needsOf(platform), facts);
    if (problem === null) expect(found).toEqual([]);
    else expect(found).toEqual([expect.stringMatching(problem)]);
  });

  test.each<[PlatformId, string[]]>([
    ['bluesky', ['Only the first frame will be shown']],
    ['facebook', ['Only the first frame will be shown']],
    ['x', []],
    ['linkedin', []],
  ])('causes the warnings on %s: %j', (platform, words) => {
    expect(decidePicture(needsOf(platform), gif()).changes).toEqual(words);
  });
});

describe('what becomes of an animated image', () => {
  const moving = (format: 'GIF' | 'WebP' | 'PNG') => picture(format, { animated: true, frames: 2 });
  const FIRST = 'Only the first frame will be shown';

  // C013, C014: only a GIF moves, and a still image is never sent without a word.
  test.each<[PlatformId, 'GIF' | 'WebP' | 'PNG', SentAs, string[]]>([
    ['x', 'GIF', 'unchanged', []],
    ['x', 'PNG', 'converted', [FIRST]],
    ['x', 'WebP', 'converted', [FIRST]],
    ['telegram', 'GIF', 'unchanged', []],
    ['telegram', 'PNG', 'converted', [FIRST]],
    ['telegram', 'WebP', 'converted', [FIRST]],
    ['linkedin', 'GIF', 'unchanged', []],
    ['linkedin', 'PNG', 'converted', [FIRST]],
    ['pinterest', 'GIF', 'unchanged', []],
    ['pinterest', 'WebP', 'converted', [FIRST]],
    ['bluesky', 'GIF', 'unchanged', [FIRST]],
    ['bluesky', 'WebP', 'unchanged', [FIRST]],
    ['facebook', 'GIF', 'unchanged', [FIRST]],
    ['facebook', 'WebP', 'converted', [FIRST]],
  ])('%s: %s', (platform, format, sent_as, changes) => {
    const decision = decidePicture(needsOf(platform), moving(format));
    expect(decision).toEqual({ sent_as, problems: [], changes, doubts: [] });
  });

  test('a GIF with a single frame is a still image', () => {
    expect(decidePicture(needsOf('x'), picture('GIF', { size: 5_000_000, frames: 1 }))).toMatchObject({
      sent_as: 'unchanged',
      changes: [],
    });
  });
});

describe('an image that cannot be converted is refused before anything is decoded', () => {
  const bomb = picture('PNG', { width: 30_000, height: 30_000, size: 3_000_000 });

  test('a decompression bomb', () => {
    expect(pictureProblems(needsOf('instagram'), bomb)).toEqual([
      expect.stringContaining(
        `Images can be converted up to ${MAX_CONVERTED_PIXELS} pixels; this one has 900000000 pixels`,
      ),
    ]);
  });

  test('a file that is too large for the disk', () => {
    expect(pictureProblems(needsOf('facebook'), picture('JPG', { size: 400_000_000 }))).toEqual([
      expect.stringMatching(
        /size is 400000000 bytes; at most 4000000 bytes\. .* this one has 400000000 bytes/,
      ),
    ]);
  });

  test('a format that the image library does not read', () => {
    expect(pictureProblems(needsOf('telegram'), picture('BMP', { size: 20_000_000 }))).toEqual([
      expect.stringMatching(/BMP images cannot be converted/),
    ]);
  });

  test('but not a large image that is sent unchanged', () => {
    expect(pictureProblems(needsOf('pinterest'), { ...bomb, format: 'JPG', size: 19_000_000 })).toEqual([]);
  });
});

describe('visible changes are announced', () => {
  const changes = (platform: PlatformId, facts: MediaFacts) =>
    decidePicture(needsOf(platform), facts).changes;

  test('white margins', () => {
    const tall = picture('JPG', { width: 720, height: 2160 });
    expect(changes('instagram', tall)).toEqual([
      'The ratio of width to height is 0.33; at least 0.8. White margins will be added',
    ]);
  });

  test('white instead of transparency', () => {
    const transparent = picture('PNG', { alpha: true });
    expect(changes('instagram', transparent)).toEqual(['Transparent areas will be white']);
    expect(changes('linkedin', transparent)).toEqual([]);
    expect(changes('threads', transparent)).toEqual([]);
  });
});
