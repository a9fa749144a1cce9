import { describe, expect, test } from '@jest/globals';
import { HOUR } from '../../time/instant.ts';
import { toGraphFailure } from '../families/meta/errors.ts';
import { FACEBOOK_ERRORS } from './errors.ts';

function classify(error: object) {
  const body = Buffer.from(JSON.stringify({ error: { message: 'Words', type: 'OAuthException', ...error } }));
  return toGraphFailure(
    { status: 400, headers: {}, body },
    { platform: 'Facebook', rows: FACEBOOK_ERRORS, purpose: 'commit', what: 'Publishing', token: 'EAATOKEN' },
  );
}

const MEDIA = { kind: 'rejected', code: 'MEDIA_REJECTED' };
const BROKEN = { kind: 'transient', code: 'MEDIA_REJECTED', outcomeUnknown: false };
const DENIED = { kind: 'rejected', code: 'PERMISSION_MISSING' };
const CONTENT = { kind: 'rejected', code: 'CONTENT_REJECTED' };

describe.each([
  ['subcode', (number: number) => ({ code: 100, error_subcode: number })],
  ['code', (number: number) => ({ code: number })],
])('an error with the %s', (_, errorOf) => {
  test.each([
    ...[1363019, 1363021, 1363030, 1363033, 1363037, 1363041, 1363045, 1363047, 1609010].map(
      number => [number, BROKEN] as const,
    ),
    ...[
      1363022, 1363023, 1363024, 1363025, 1363026, 1363031, 1363032, 1363040, 1363127, 1363128, 1363129,
      1366046, 2069019,
    ].map(number => [number, MEDIA] as const),
    ...[1363005, 1363042, 1404078].map(number => [number, DENIED] as const),
    ...[1346003, 1404102, 1404006, 1404112, 4854002, 2061006].map(number => [number, CONTENT] as const),
    [1366051, { kind: 'rejected', code: 'DUPLICATE_REJECTED' }] as const,
    [1390008, { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: HOUR }] as const,
  ])('%s is classified as %j', (number, expected) => {
    expect(classify(errorOf(number))).toMatchObject(expected);
  });
});

test('a token that lost its role says what to do', () => {
  expect(classify({ code: 190, error_subcode: 492 }).message).toBe(
    'Publishing: Words (code 190, subcode 492). The user may have lost the role on the Page: restore it, then reconnect the account.',
  );
});
