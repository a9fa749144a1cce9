import { describe, expect, test } from '@jest/globals';
import { HOUR, MINUTE } from '../../time/instant.ts';
import { isWaitingForMedia, toPlatformError, type Purpose } from './errors.ts';

const NOW = Date.parse('2026-11-29T22:00:00Z');

const classify = (
  status: number,
  body: object | string,
  purpose: Purpose = 'create',
  headers: Record<string, string> = {},
) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return toPlatformError({ status, headers, body: Buffer.from(text) }, purpose, 'Publishing', NOW);
};
const listed = (code: string) => ({
  status: 400,
  message: 'Refused',
  errorDetailType: 'com.linkedin.common.error.BadRequest',
  errorDetails: { inputErrors: [{ code, description: 'Details', input: {} }] },
});
const DUPLICATE = {
  errorDetailType: 'com.linkedin.common.error.BadRequest',
  message:
    'com.linkedin.content.common.exception.BadRequestResponseException: Content is a duplicate of urn:li:share:7141234567890123456',
  errorDetails: {
    inputErrors: [{ description: 'Duplicate post is detected', input: {}, code: 'DUPLICATE_POST' }],
  },
  status: 422,
};
const AUTHOR =
  'Field Value validation failed in REQUEST_BODY: Data Processing Exception while processing fields [/author]';

describe('an error response of LinkedIn', () => {
  test.each<[number, object | string, Purpose, object]>([
    [
      401,
      { status: 401, serviceErrorCode: 65600, code: 'INVALID_ACCESS_TOKEN', message: 'Invalid access token' },
      'create',
      { kind: 'token_expired', code: 'TOKEN_EXPIRED' },
    ],
    [
      401,
      {
        status: 401,
        serviceErrorCode: 65601,
        code: 'REVOKED_ACCESS_TOKEN',
        message: 'The token used in the request has been revoked by the user',
      },
      'read',
      { kind: 'token_expired', code: 'TOKEN_EXPIRED' },
    ],
    [401, { serviceErrorCode: 65602, code: 'EXPIRED_ACCESS_TOKEN' }, 'upload', { kind: 'token_expired' }],
    [401, { serviceErrorCode: 65604, code: 'EMPTY_ACCESS_TOKEN' }, 'status', { kind: 'token_expired' }],
    [
      403,
      {
        status: 403,
        serviceErrorCode: 100,
        code: 'ACCESS_DENIED',
        message: 'Not enough permissions to access: partnerApiPosts.CREATE.20240401',
      },
      'create',
      {
        kind: 'rejected',
        code: 'PERMISSION_MISSING',
        keepsAccount: false,
        message:
          'Publishing: ACCESS_DENIED: Not enough permissions to access: partnerApiPosts.CREATE.20240401',
      },
    ],
    [
      403,
      { status: 403, message: AUTHOR },
      'create',
      {
        kind: 'rejected',
        code: 'PERMISSION_MISSING',
        keepsAccount: true,
        message: expect.stringMatching(/administrator .* of the page/),
      },
    ],
    [
      403,
      { status: 403, message: 'Not enough permissions to access: socialActions.CREATE.20260901' },
      'comment',
      {
        kind: 'rejected',
        code: 'PERMISSION_MISSING',
        message: expect.stringContaining('Community Management API'),
      },
    ],
    [
      403,
      {
        message:
          'Accessing this video resource is forbidden. Please check your permissions for this resource',
      },
      'status',
      { kind: 'transient', code: 'PLATFORM_UNAVAILABLE', outcomeUnknown: false },
    ],
    [403, { message: 'Accessing this video resource is forbidden' }, 'read', { kind: 'rejected' }],
    ...['MEDIA_ASSET_WAITING_UPLOAD', 'EXPIRED_UPLOAD_URL'].map<[number, object, Purpose, object]>(code => [
      400,
      listed(code),
      'create',
      { kind: 'transient', code: 'PLATFORM_UNAVAILABLE', outcomeUnknown: false },
    ]),
    ...['MEDIA_ASSET_PROCESSING_FAILED', 'UPDATING_ASSET_FAILED', 'INVALID_IMAGE_ID', 'INVALID_VIDEO_ID'].map<
      [number, object, Purpose, object]
    >(code => [
      400,
      listed(code),
      'create',
      {
        kind: 'rejected',
        code: 'MEDIA_REJECTED',
        message: `Publishing: ${code}: Refused; Details`,
      },
    ]),
    ...[
      'FIELD_LENGTH_TOO_LONG',
      'MISSING_FIELD',
      'INVALID_VALUE_FOR_FIELD',
      'INVALID_VALUE_BLANK_FIELD',
      'INVALID_URN_TYPE',
      'INVALID_URN_ID',
      'INVALID_URL',
      'URL_VALIDATION_FAILED',
    ].map<[number, object, Purpose, object]>(code => [
      400,
      { status: 400, code, message: 'Refused' },
      'create',
      { kind: 'rejected', code: 'CONTENT_REJECTED', message: `Publishing: ${code}: Refused` },
    ]),
    [400, listed('INVALID_VALUE_FOR_FIELD'), 'upload', { kind: 'rejected', code: 'MEDIA_REJECTED' }],
    [404, { status: 404, message: 'Not found' }, 'create', { kind: 'rejected', code: 'CONTENT_REJECTED' }],
    [404, { status: 404, message: 'Not found' }, 'comment', { kind: 'transient', outcomeUnknown: false }],
    [404, { status: 404, message: 'Not found' }, 'status', { kind: 'transient', outcomeUnknown: false }],
    [
      409,
      { status: 409, code: 'CONFLICT', message: 'Conflict' },
      'create',
      { kind: 'transient', outcomeUnknown: false },
    ],
    [411, '', 'upload', { kind: 'rejected', code: 'INTERNAL' }],
    [422, DUPLICATE, 'create', { kind: 'rejected', code: 'DUPLICATE_REJECTED' }],
    [422, { ...DUPLICATE, errorDetails: undefined }, 'create', { code: 'DUPLICATE_REJECTED' }],
    [422, listed('SOMETHING_ELSE'), 'create', { kind: 'rejected', code: 'CONTENT_REJECTED' }],
    [
      426,
      { status: 426, code: 'NONEXISTENT_VERSION', message: 'Requested version 20250401 is not active' },
      'create',
      { kind: 'rejected', code: 'INTERNAL', message: expect.stringContaining('set api_version') },
    ],
    [400, { status: 400, code: 'VERSION_MISSING', message: 'x' }, 'read', { code: 'INTERNAL' }],
    [400, { message: 'Please add the LinkedIn-Version header' }, 'read', { code: 'INTERNAL' }],
    [500, { message: 'Internal Server Error' }, 'create', { kind: 'transient', outcomeUnknown: true }],
    [502, '<html>', 'create', { kind: 'transient', message: 'Publishing: LinkedIn answered 502' }],
    [503, { message: 'Service Unavailable' }, 'upload', { kind: 'transient', code: 'PLATFORM_UNAVAILABLE' }],
    [500, { message: 'Unable to obtain activity' }, 'comment', { kind: 'transient' }],
  ])('%i %j to a call for %s is classified as %j', (status, body, purpose, error) => {
    expect(classify(status, body, purpose)).toMatchObject({ name: 'PlatformError', ...error });
  });

  test.each(['x-li-uuid', 'x-li-request-id'])('names the request by %s for the support of LinkedIn', name => {
    expect(classify(502, '<html>', 'create', { [name]: 'AAYVb' }).message).toBe(
      'Publishing: LinkedIn answered 502 (request AAYVb)',
    );
  });

  test('names a wait only for a rate limit', () => {
    const limited = (message: string, headers = {}) =>
      classify(
        429,
        { serviceErrorCode: 101, code: 'TOO_MANY_REQUESTS', status: 429, message },
        'create',
        headers,
      );
    const short = 'Resource level throttle limit for calls to this resource is reached.';
    expect(limited(short)).toMatchObject({
      kind: 'rate_limited',
      code: 'PLATFORM_RATE_LIMIT',
      retryAfterMs: undefined,
      backoffMs: [5 * MINUTE, 15 * MINUTE, HOUR],
    });
    expect(limited(short, { 'retry-after': '600' }).retryAfterMs).toBe(10 * MINUTE);
    const daily = limited('Resource level throttle MEMBER DAY limit for calls to this resource is reached.');
    expect(daily.retryAfterMs).toBeGreaterThanOrEqual(2 * HOUR);
    expect(daily.retryAfterMs).toBeLessThan(2 * HOUR + 10 * MINUTE);
    expect(classify(500, '').retryAfterMs).toBeUndefined();
  });

  test.each([0, 1, 5 * MINUTE])('is retried within a day when a day of LinkedIn is %i ms old', age => {
    const midnight = Date.parse('2026-11-30T00:00:00Z');
    const body = Buffer.from('{"message":"Resource level throttle APPLICATION DAY limit"}');
    const response = { status: 429, headers: {}, body };
    for (let times = 0; times < 50; times += 1) {
      const { retryAfterMs } = toPlatformError(response, 'create', 'Publishing', midnight + age);
      expect(retryAfterMs).toBeLessThan(24 * HOUR);
      expect(retryAfterMs).toBeGreaterThan(23 * HOUR);
    }
  });

  test('that LinkedIn waits for media is recognised', () => {
    expect(isWaitingForMedia(classify(400, listed('MEDIA_ASSET_WAITING_UPLOAD')))).toBe(true);
    expect(isWaitingForMedia(classify(400, listed('INVALID_IMAGE_ID')))).toBe(false);
  });
});
