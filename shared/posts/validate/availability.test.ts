import { expect, test } from '@jest/globals';
import { PUBLISHED_PLATFORMS } from '../../platforms/registry/published.ts';
import { availabilityWarnings } from './availability.ts';

test('a platform without a publisher has a warning that names it', () => {
  expect(availabilityWarnings(['x', 'snapchat'], ['x'])).toEqual([
    {
      code: 'PLATFORM_NOT_AVAILABLE',
      field: 'platforms',
      platform: 'snapchat',
      message: 'This version of the service cannot publish to Snapchat yet: the post will fail there',
    },
  ]);
});

test('platforms with a publisher have none', () => {
  expect(availabilityWarnings(PUBLISHED_PLATFORMS)).toEqual([]);
});
