import { describe, expect, test } from '@jest/globals';
import type { HttpResponse } from '../../../net/http.ts';
import { HOUR, MINUTE } from '../../../time/instant.ts';
import { isGraphError, toGraphFailure } from './errors.ts';

function classify(response: Partial<Omit<HttpResponse, 'body'>> & { body: unknown }, token = 'EAATOKEN') {
  const { status = 400, headers = {}, body } = response;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return toGraphFailure(
    { status, headers, body: Buffer.from(text) },
    { platform: 'Facebook', rows: [], purpose: 'commit', what: 'Publishing', token },
  );
}

const graph = (code: number, subcode?: number, more: object = {}) => ({
  body: {
    error: {
      message: 'Words',
      type: 'OAuthException',
      code,
      error_subcode: subcode,
      fbtrace_id: 'A1',
      ...more,
    },
  },
});

const RECONNECT = { kind: 'token_expired', code: 'TOKEN_EXPIRED', outcomeUnknown: false };
const DENIED = {
  kind: 'rejected',
  code: 'PERMISSION_MISSING',
  outcomeUnknown: false,
  keepsAccount: false,
};
/** Reconnecting the account would change nothing. */
const RESTRICTED = { ...DENIED, keepsAccount: true };
const UNKNOWN = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE', outcomeUnknown: true };
const LIMITED = { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', outcomeUnknown: false };
const REJECTED = { kind: 'rejected', code: 'CONTENT_REJECTED' };
const OUR_FAULT = { kind: 'rejected', code: 'INTERNAL' };

describe('an error of the Graph API', () => {
  test.each([
    [1, undefined, UNKNOWN],
    [2, undefined, UNKNOWN],
    [3, undefined, RESTRICTED],
    ...[4, 17, 32, 341, 613, 80000, 80001, 80002, 80003, 80004, 80005, 80006, 80008, 80009, 80014].map(
      code => [code, undefined, { ...LIMITED, retryAfterMs: HOUR, acceptsPosts: true }] as const,
    ),
    [368, undefined, { ...LIMITED, retryAfterMs: 23 * HOUR, acceptsPosts: false }],
    [389, undefined, { kind: 'transient', code: 'MEDIA_REJECTED' }],
    [506, undefined, { kind: 'rejected', code: 'DUPLICATE_REJECTED' }],
    [1609005, undefined, REJECTED],
    [1500, undefined, REJECTED],
    [10, undefined, DENIED],
    [104, undefined, OUR_FAULT],
    [2500, undefined, OUR_FAULT],
    [3001, 1504028, OUR_FAULT],
    [100, undefined, REJECTED],
    [100, 33, DENIED],
    [102, undefined, RECONNECT],
    ...[undefined, 458, 459, 460, 463, 464, 467, 492].map(subcode => [190, subcode, RECONNECT] as const),
    [200, undefined, DENIED],
    [283, undefined, DENIED],
    [299, undefined, DENIED],
    [200, 1609008, REJECTED],
    [210, undefined, REJECTED],
    [324, undefined, OUR_FAULT],
    [382, undefined, { kind: 'rejected', code: 'MEDIA_REJECTED' }],
    [6000, undefined, { kind: 'transient', code: 'MEDIA_REJECTED' }],
    [6001, undefined, { kind: 'transient', code: 'MEDIA_REJECTED' }],
    [987654, undefined, REJECTED],
  ] as const)('%s/%s is classified as %j', (code, subcode, expected) => {
    expect(classify(graph(code, subcode))).toMatchObject(expected);
  });

  test.each([
    [368, "You've already posted this", { kind: 'rejected', code: 'DUPLICATE_REJECTED' }],
    [2500, 'An active access token must be used to query information about the current user.', RECONNECT],
    [100, 'Invalid appsecret_proof provided in the API argument', OUR_FAULT],
  ] as const)('%s with the message "%s" is classified as %j', (code, message, expected) => {
    expect(classify(graph(code, undefined, { message }))).toMatchObject(expected);
  });

  test.each([
    ['an unlisted code that is transient', graph(55, undefined, { is_transient: true }), UNKNOWN],
    ['an unlisted code with a 5xx', { ...graph(55), status: 503 }, UNKNOWN],
    ['a listed code that claims not to be transient', graph(2, undefined, { is_transient: false }), UNKNOWN],
    ["a proxy's page", { status: 502, body: '<html>' }, UNKNOWN],
    ['429 without a body', { status: 429, body: '' }, LIMITED],
    ['404 without a body', { status: 404, body: '' }, REJECTED],
    ['a code in a text', { body: { error: { message: 'm', code: '190' } } }, RECONNECT],
  ])('%s', (_, response, expected) => {
    expect(classify(response)).toMatchObject(expected);
  });

  test('has the words for the user, the codes and advice in its message', () => {
    const words = { error_user_title: 'Security check', error_user_msg: 'Please log in.' };
    expect(classify(graph(190, 459, words)).message).toBe(
      'Publishing: Security check: Please log in (code 190, subcode 459). Log in at facebook.com, complete the security check there, then reconnect the account.',
    );
  });

  test('never shows the token', () => {
    const message = 'Malformed access token EAATOKEN';
    expect(classify(graph(190, undefined, { message })).message).toBe(
      'Publishing: Malformed access token *** (code 190)',
    );
  });

  test('is recognised by its code and subcode', () => {
    const error = classify(graph(200, 1609008));
    expect([
      isGraphError(error, 200),
      isGraphError(error, 200, 1609008),
      isGraphError(error, 200, 1),
    ]).toEqual([true, true, false]);
    expect(isGraphError(new Error('no'), 200)).toBe(false);
  });

  test.each([
    [
      'the longest wait of x-business-use-case-usage',
      {
        'x-business-use-case-usage': JSON.stringify({
          '1': [{ type: 'pages', call_count: 100, estimated_time_to_regain_access: 5 }],
          '2': [{ type: 'pages', call_count: 100, estimated_time_to_regain_access: 19 }],
        }),
      },
      19 * MINUTE,
    ],
    ['Retry-After', { 'retry-after': '120' }, 2 * MINUTE],
    ['an hour where the headers are broken', { 'x-business-use-case-usage': '{' }, HOUR],
  ])('a limit lasts %s', (_, headers, retryAfterMs) => {
    expect(classify({ ...graph(80001), headers }).retryAfterMs).toBe(retryAfterMs);
  });
});

test('reads errors of the token endpoints of Instagram and Threads', () => {
  const body = { error_type: 'OAuthException', code: 400, error_message: 'Matching code was not found' };
  expect(classify({ body }).graph).toMatchObject({
    code: 400,
    type: 'OAuthException',
    message: 'Matching code was not found',
  });
});

test('reads errors of the upload host', () => {
  const body = { debug_info: { retriable: true, type: 'ProcessingFailedError', message: 'No luck' } };
  const error = classify({ body });
  expect(error).toMatchObject({ kind: 'transient', message: 'Publishing: No luck' });
  expect(error.graph).toMatchObject({ type: 'ProcessingFailedError', isTransient: true });
});
