import { expect, test } from '@jest/globals';
import { PLATFORM_IDS } from '../shared/model/platform.ts';
import { RULES } from '../shared/platforms/registry/rules.ts';
import { concurrencyCaps, fittingPlatforms } from './concurrency.ts';

const sum = (caps: ReadonlyMap<string, number>) => [...caps.values()].reduce((total, cap) => total + cap, 0);

test('the default quota leaves the maximum of every platform as its rules have it', () => {
  const caps = concurrencyCaps(PLATFORM_IDS, 1000);
  for (const platform of PLATFORM_IDS)
    expect(caps.get(platform)).toBe(RULES[platform].worker.max_concurrency);
});

test.each([40, 50, 100, 250, 1000])('caps leave a fifth of a quota of %i to the API', quota => {
  const caps = concurrencyCaps(PLATFORM_IDS, quota);
  expect(sum(caps)).toBeLessThanOrEqual(0.8 * quota);
  expect(Math.min(...caps.values())).toBeGreaterThanOrEqual(2);
});

test('the quota of a new account has room for two platforms, or for YouTube with its broadcasts', () => {
  expect(sum(concurrencyCaps(['x', 'bluesky'], 10))).toBe(8);
  expect(fittingPlatforms(['x', 'bluesky'], 10)).toBeNull();
  expect(fittingPlatforms(PLATFORM_IDS, 10)).toBe(1);
});

test('the controller of broadcasts counts where their platform is deployed', () => {
  expect(concurrencyCaps(['youtube'], 1000).get('broadcasts')).toBe(10);
  expect(sum(concurrencyCaps(['youtube'], 10))).toBe(8);
  expect(concurrencyCaps(['x'], 1000).has('broadcasts')).toBe(false);
});
