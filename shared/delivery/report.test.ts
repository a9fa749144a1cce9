import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Destination } from '../model/destination.ts';
import { failure } from '../model/failure.ts';
import { newPendingPost } from '../../test/support/delivery-world.ts';
import { reportAttempt } from './report.ts';
import { failed, leased, published, retrying } from './transitions.ts';

const NOW = Date.UTC(2026, 11, 1, 10);
const post = newPendingPost(NOW, ['x']);
const held = leased(post.destinations.x!, NOW);
const why = failure('MEDIA_REJECTED', 'Too large');
const live = { platform_post_id: '1', platform_post_url: null, published_at: NOW + 3500 };

let written: unknown[];
beforeEach(() => {
  written = [];
  // Powertools then writes to the console of the test.
  process.env['POWERTOOLS_DEV'] = 'true';
  process.env['POWERTOOLS_METRICS_DISABLED'] = 'false';
  process.env['POWERTOOLS_METRICS_NAMESPACE'] = 'test';
  jest.spyOn(console, 'log').mockImplementation((line: unknown) => written.push(JSON.parse(String(line))));
});
afterEach(() => {
  delete process.env['POWERTOOLS_DEV'];
  delete process.env['POWERTOOLS_METRICS_DISABLED'];
  delete process.env['POWERTOOLS_METRICS_NAMESPACE'];
  jest.restoreAllMocks();
});

test.each<[string, Destination, Record<string, unknown>]>([
  ['published', published(held, live, [], NOW), { Published: 1, Lateness: 3.5 }],
  ['failed', failed(held, why, NOW, false, null), { Failed: 1, code: 'MEDIA_REJECTED' }],
  ['retried', retrying(held, {}, why, NOW, NOW), { Retried: 1, code: 'MEDIA_REJECTED' }],
])('writes one line for an attempt that is %s, with its post and platform', (_, destination, values) => {
  reportAttempt(post, destination);
  expect(written).toEqual([expect.objectContaining({ post_id: post.post_id, platform: 'x', ...values })]);
});

test('writes nothing for a destination that waits for its platform', () => {
  reportAttempt(post, held);
  expect(written).toEqual([]);
});
