import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { FAILURE_CODES, FAILURES, failure, FailureSchema } from './failure.ts';

describe('failure', () => {
  test.each([
    ['TOKEN_EXPIRED', 'token', /reconnect the account/i],
    ['PERMISSION_MISSING', 'account', /grant the missing permission/i],
    ['PLATFORM_RATE_LIMIT', 'rate_limit', /nothing to do/i],
    ['DAILY_CAP', 'rate_limit', /nothing to do/i],
    ['QUOTA_EXHAUSTED', 'quota', /the operator must raise it/i],
    ['MEDIA_REJECTED', 'media', /replace the media/i],
    ['CONTENT_REJECTED', 'content', /change the text or options/i],
    ['DUPLICATE_REJECTED', 'content', /change the text, then/i],
    ['PLATFORM_UNAVAILABLE', 'platform', /retry the post later/i],
    ['DELIVERY_UNKNOWN', 'platform', /check the account/i],
    ['INTERNAL', 'internal', /retry the post; if it fails again, report it/i],
  ] as const)('%s has the category %s and says what to do', (code, category, remedy) => {
    expect(failure(code, 'The words of the platform')).toEqual({
      code,
      category,
      message: 'The words of the platform',
      remedy: expect.stringMatching(remedy),
      retryable: expect.any(Boolean),
    });
  });

  test('lists every code, and each fits the schema of API responses', () => {
    expect([...FAILURE_CODES].sort()).toEqual(Object.keys(FAILURES).sort());
    for (const code of FAILURE_CODES) expect(v.is(FailureSchema, failure(code, 'x'))).toBe(true);
  });

  test('cuts the message at 1,000 characters', () => {
    expect(failure('INTERNAL', 'x'.repeat(5000)).message).toHaveLength(1000);
  });
});
