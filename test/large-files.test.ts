import { expect, test } from '@jest/globals';
import type { PlatformId } from '../shared/model/platform.ts';
import { MB } from '../shared/platforms/kit/sizes.ts';
import { measureUpload } from './bench/large-files/measure.ts';

/* A small version of `npm run bench -- large-files`. */

const MAX_MIB = 300;

test.each<[PlatformId, string]>([
  ['youtube', 'in a session that tells where to continue'],
  ['pinterest', 'in one request that starts again'],
  ['threads', 'by a URL that is fetched'],
])('%s gets a video %s once, although the publisher is killed in between', async platform => {
  const upload = { platform, bytes: 30 * MB, seconds: 12, killEvery: 12 * MB, way: null, change: null };
  const { kills, peak_mib, ...measured } = await measureUpload(upload);
  expect(measured).toEqual({ live: 1, isRight: true });
  expect(kills).toBeGreaterThanOrEqual(2);
  expect(peak_mib ?? 0).toBeLessThan(MAX_MIB);
});
