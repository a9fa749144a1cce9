import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { FAILURE_CODES, FAILURES, failure, FailureSchema } from './failure.ts';

describe('why a destination failed', () => {
  test.each([
    ['TOKEN_EXPIRED', 'token', /reconnect the account/i],
    ['PERMISSION_MISSING', 'account', /grant the missing permission/i],
    ['PLATFORM_RATE_LIMIT', 'rate_limit', /nothing to do/i],
    ['DAILY_CAP', 'rate_limit', /nothing to do/i],
    ['QUOTA_EXHAUSTED', 'quota', /the operator must raise it/i],
    ['MEDIA_REJECTED', 'media', /replace the media/i],
    ['CONTENT_REJECTED', 'content', /change the text or options/i],
    ['DUPLICATE_REJECTED', 'content', /change it/i],
    ['PLATFORM_UNAVAILABLE', 'platform', /retry the post later/i],
    ['DELIVERY_UNKNOWN', 'platform', /look at the account/i],
    ['INTERNAL', 'internal', /retry the post, and report it/i],
  ] as const)('%s: %s must act, and is told how', (code, category, remedy) => {
    expect(failure(code, 'In words of the platform')).toEqual({
      code,
      category,
      message: 'In words of the platform',
      remedy: expect.stringMatching(remedy),
      retryable: expect.any(Boolean),
    });
  });

  test('is one of these codes, and fits what answers show', () => {
    expect([...FAILURE_CODES].sort()).toEqual(Object.keys(FAILURES).sort());
    for (const code of FAILURE_CODES) expect(v.is(FailureSchema, failure(code, 'x'))).toBe(true);
  });

  test('is told in no more than a thousand characters', () => {
    expect(failure('INTERNAL', 'x'.repeat(5000)).message).toHaveLength(1000);
  });
});
