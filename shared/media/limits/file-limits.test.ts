import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { factsOfType, type MediaFacts } from '../../model/media.ts';
import type { FileLimits } from '../../platforms/contract/rules.ts';
import { limitViolations } from './file-limits.ts';

const limits: FileLimits = {
  formats: ['MP4', 'MOV'],
  max_bytes: 1000,
  min_seconds: 3,
  max_seconds: 60,
  min_width: 100,
  max_height: 2000,
  min_aspect: 0.8,
  max_aspect: 1.91,
};
const good: MediaFacts = {
  ...factsOfType('video/mp4', 'MP4', 1000),
  width: 1000,
  height: 1000,
  duration: 60,
};

describe('the limits of a file', () => {
  test('are met by a file at each limit', () => {
    expect(limitViolations(limits, good)).toEqual([]);
    expect(limitViolations(limits, { ...good, duration: 3, width: 800, height: 1000 })).toEqual([]);
  });

  test.each<[Partial<MediaFacts>, RegExp]>([
    [{ format: 'WebM' }, /format is WebM; must be one of MP4, MOV/],
    [{ size: 1001 }, /size is 1001 bytes; at most 1000 bytes/],
    [{ duration: 2.5 }, /duration is 2.5 seconds; at least 3 seconds/],
    [{ duration: 60.5 }, /duration is 60.5 seconds; at most 60 seconds/],
    [{ width: 99, height: 99 }, /width is 99 pixels; at least 100 pixels/],
    [{ height: 2001, width: 2001 }, /height is 2001 pixels; at most 2000 pixels/],
    [{ width: 700 }, /ratio of width to height is 0.7; at least/],
    [{ width: 2000 }, /ratio of width to height is 2; at most/],
  ])('are violated by %j', (change, message) => {
    const violations = limitViolations(limits, { ...good, ...change });
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatch(message);
  });

  test('are all named when violated', () => {
    expect(limitViolations(limits, { ...good, format: 'AVI', size: 2000, duration: 90 })).toHaveLength(3);
  });

  test('are not violated by unknown values', () => {
    const unknown = { size: null, width: null, height: null, duration: null };
    expect(limitViolations(limits, { ...good, ...unknown })).toEqual([]);
  });

  test('are violated exactly by a size over the maximum', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 1e9 }), (size, max_bytes) => {
        const violations = limitViolations({ formats: ['MP4'], max_bytes }, { ...good, size });
        expect(violations.length === 0).toBe(size <= max_bytes);
      }),
    );
  });
});
