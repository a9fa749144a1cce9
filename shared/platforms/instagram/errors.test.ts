import { describe, expect, test } from '@jest/globals';
import type { ErrorRow, Purpose } from '../families/meta/error-row.ts';
import { toGraphFailure } from '../families/meta/errors.ts';
import { containerFailure, INSTAGRAM_ERRORS } from './errors.ts';

type Expected = Pick<ErrorRow, 'kind' | 'failure'> & {
  outcomeUnknown?: boolean;
  retryAfterMs?: number;
  keepsAccount?: boolean;
};

const HOUR = 3_600_000;
const AGAIN: Expected = { kind: 'transient', failure: 'PLATFORM_UNAVAILABLE', outcomeUnknown: false };
const LOST: Expected = { ...AGAIN, outcomeUnknown: true };
const MEDIA: Expected = { kind: 'rejected', failure: 'MEDIA_REJECTED' };
const CONTENT: Expected = { kind: 'rejected', failure: 'CONTENT_REJECTED' };
const DENIED: Expected = { kind: 'rejected', failure: 'PERMISSION_MISSING', keepsAccount: false };
const RECONNECT: Expected = { kind: 'token_expired', failure: 'TOKEN_EXPIRED' };
const FAULT: Expected = { kind: 'rejected', failure: 'INTERNAL' };

interface Answer {
  code: number;
  subcode?: number;
  message?: string;
  status?: number;
  headers?: Record<string, string>;
}

function failureOf(
  { code, subcode, message = 'Fatal', status = 400, headers = {} }: Answer,
  purpose: Purpose,
) {
  const error = {
    message,
    type: 'OAuthException',
    code,
    error_subcode: subcode,
    is_transient: false,
    error_user_title: 'Title',
    error_user_msg: 'Instagram says why',
    fbtrace_id: 'A1',
  };
  const body = Buffer.from(JSON.stringify({ error }));
  return toGraphFailure(
    { status, headers, body },
    { platform: 'Instagram', rows: INSTAGRAM_ERRORS, purpose, what: 'Publishing', token: '' },
  );
}

const matching = ({ failure, ...more }: Expected) => ({ code: failure, ...more });

describe('an error of the table', () => {
  test.each<[Answer, Purpose, Expected]>([
    [{ code: -2, subcode: 2207003 }, 'prepare', AGAIN],
    [{ code: -2, subcode: 2207020 }, 'commit', AGAIN],
    [{ code: -1, subcode: 2207001 }, 'prepare', AGAIN],
    [{ code: -1, subcode: 2207001 }, 'commit', LOST],
    [{ code: -1, subcode: 2207082 }, 'commit', LOST],
    [{ code: -1 }, 'commit', LOST],
    [{ code: -1 }, 'prepare', CONTENT],
    [{ code: -1, subcode: 2207032 }, 'prepare', AGAIN],
    [{ code: -1, subcode: 2207053 }, 'prepare', AGAIN],
    [{ code: 1, subcode: 2207057 }, 'prepare', CONTENT],
    [
      { code: 4, subcode: 2207051 },
      'commit',
      { kind: 'rate_limited', failure: 'PLATFORM_RATE_LIMIT', retryAfterMs: 23 * HOUR },
    ],
    [
      { code: 9, subcode: 2207042 },
      'commit',
      { kind: 'rate_limited', failure: 'PLATFORM_RATE_LIMIT', retryAfterMs: HOUR },
    ],
    [{ code: 24, subcode: 2207006 }, 'commit', AGAIN],
    [{ code: 24, subcode: 2207008 }, 'commit', AGAIN],
    [{ code: 24, subcode: 4279009 }, 'commit', AGAIN],
    [{ code: 25, subcode: 2207050 }, 'prepare', { ...DENIED, keepsAccount: true }],
    [{ code: -1, subcode: 2207073 }, 'prepare', CONTENT],
    [{ code: 100, subcode: 2207023 }, 'prepare', FAULT],
    [{ code: 100, subcode: 2207028 }, 'prepare', FAULT],
    [{ code: 100, subcode: 2207035 }, 'prepare', CONTENT],
    [{ code: 100, subcode: 2207036 }, 'prepare', CONTENT],
    [{ code: 100, subcode: 2207037 }, 'prepare', CONTENT],
    [{ code: 100, subcode: 2207040 }, 'prepare', CONTENT],
    [{ code: 352, subcode: 2207026 }, 'prepare', MEDIA],
    [{ code: 9004, subcode: 2207052 }, 'prepare', AGAIN],
    [{ code: 9007, subcode: 2207027 }, 'commit', AGAIN],
    [{ code: 36000, subcode: 2207004 }, 'prepare', MEDIA],
    [{ code: 36001, subcode: 2207005 }, 'prepare', MEDIA],
    [{ code: 36003, subcode: 2207009 }, 'prepare', MEDIA],
    [{ code: 36004, subcode: 2207010 }, 'prepare', CONTENT],
    [{ code: 100, subcode: 2207089 }, 'prepare', FAULT],
    [{ code: 100, subcode: 2207081 }, 'prepare', CONTENT],
    [{ code: 100, message: 'param collaborators is not allowed' }, 'prepare', FAULT],
    [{ code: 100, message: 'INSTAGRAM_PLATFORM_API__INVALID_LOCATION_ID' }, 'prepare', CONTENT],
    [{ code: 100, message: 'The user is not an Instagram Business' }, 'prepare', RECONNECT],
    [{ code: 1, message: 'The session has been invalidated' }, 'prepare', RECONNECT],
    [{ code: 100, message: 'REVOKED_ACCESS_TOKEN' }, 'prepare', RECONNECT],
    [
      { code: 10, message: 'Application does not have permission for this action', status: 403 },
      'prepare',
      DENIED,
    ],
    [{ code: 100, subcode: 33 }, 'prepare', DENIED],
    [{ code: 110, message: 'user not found' }, 'prepare', CONTENT],
    [{ code: 20, subcode: 1772107 }, 'commit', FAULT],
    [{ code: 1, status: 500 }, 'commit', LOST],
    [{ code: 2, status: 503 }, 'commit', LOST],
    [
      { code: 4, status: 403 },
      'prepare',
      { kind: 'rate_limited', failure: 'PLATFORM_RATE_LIMIT', retryAfterMs: HOUR },
    ],
    [
      {
        code: 80002,
        headers: {
          'x-business-use-case-usage': JSON.stringify({
            '17841400000000001': [
              { type: 'instagram', call_count: 100, estimated_time_to_regain_access: 19 },
            ],
          }),
        },
      },
      'prepare',
      { kind: 'rate_limited', failure: 'PLATFORM_RATE_LIMIT', retryAfterMs: 19 * 60_000 },
    ],
    [{ code: 190, subcode: 463 }, 'commit', RECONNECT],
    [{ code: 190, subcode: 460 }, 'prepare', RECONNECT],
    [{ code: 190 }, 'prepare', RECONNECT],
    [{ code: 100, message: 'Invalid parameter' }, 'prepare', CONTENT],
    [{ code: 4242, status: 400 }, 'prepare', CONTENT],
    [{ code: 4242, status: 502 }, 'commit', LOST],
  ])('%j while %s is classified as %j', (answer, purpose, expected) => {
    expect(failureOf(answer, purpose)).toMatchObject(matching(expected));
  });

  test('is told in the words of Instagram, with its codes and what to do', () => {
    expect(failureOf({ code: 36003, subcode: 2207009 }, 'prepare').message).toBe(
      'Publishing: Title: Instagram says why (code 36003, subcode 2207009). Use an aspect ratio between 4:5 and 1.91:1.',
    );
  });
});

describe('the status of a container that failed', () => {
  test.each<[string, Expected]>([
    ['2207026', MEDIA],
    ['352/2207026', MEDIA],
    ['Error: Media upload has failed with error code 2207082', AGAIN],
    ['Error: 2207053', AGAIN],
    ['2207076', AGAIN],
    ['2207077', AGAIN],
    ['Error: Media upload has failed with error code 2207085', MEDIA],
    ['2207003', AGAIN],
    ['Error: something else', MEDIA],
  ])('"%s" is classified as %j', (status, expected) => {
    expect(containerFailure(status, 'Processing the file')).toMatchObject(matching(expected));
  });
});
