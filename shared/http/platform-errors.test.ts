import { expect, test } from '@jest/globals';
import { PlatformError } from '../platforms/contract/error.ts';
import { answerPlatformError } from './platform-errors.ts';

const NOW = Date.parse('2026-12-01T20:00:00Z');

test('answers 429 with the reset time when a quota of the platform is used up', async () => {
  const error = new PlatformError({
    kind: 'rate_limited',
    code: 'QUOTA_EXHAUSTED',
    message: 'The quota is used up',
    retryAfterMs: 12 * 3_600_000,
    limit: 10_000,
  });
  await expect(
    answerPlatformError({ now: () => NOW }, 'youtube', () => Promise.reject(error)),
  ).rejects.toMatchObject({
    response: {
      status: 429,
      body: {
        error: 'The quota is used up',
        code: 'PLATFORM_RATE_LIMIT',
        retry_after: 43_200,
        platform: 'youtube',
        limit: 10_000,
        resets_at: '2026-12-02T08:00:00.000Z',
      },
      headers: { 'retry-after': '43200' },
    },
  });
});
