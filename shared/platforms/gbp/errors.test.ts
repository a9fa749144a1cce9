import { describe, expect, test } from '@jest/globals';
import { isDenied, isMissing, toGbpError, type Purpose } from './errors.ts';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const MINUTE = 60_000;

const classify = (
  status: number,
  body: object | string,
  purpose: Purpose = 'post',
  headers: Record<string, string> = {},
) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return toGbpError({ status, headers, body: Buffer.from(text) }, { what: 'Publishing', purpose }, NOW);
};

const INVALID = 'Request contains an invalid argument.';
const envelope = (code: number, status: string, message: string, details: object[] = []) => ({
  error: { code, message, status, ...(details.length > 0 ? { details } : {}) },
});
const validation = (...errorDetails: object[]) =>
  envelope(400, 'INVALID_ARGUMENT', INVALID, [
    { '@type': 'type.googleapis.com/google.mybusiness.v4.ValidationError', errorDetails },
  ]);
const info = (reason: string, metadata: object = {}) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'googleapis.com',
  metadata,
});
const quota = (limit: string, unit: string) =>
  envelope(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric ‘Requests’.', [
    info('RATE_LIMIT_EXCEEDED', { quota_limit_value: limit, quota_unit: unit }),
  ]);

describe('a refusal', () => {
  test.each<[string, number, object | string, Purpose, object]>([
    [
      'without a topic type',
      400,
      validation({ code: 2, field: 'topic_type', message: 'Topic type is required for post creation.' }),
      'post',
      {
        kind: 'rejected',
        code: 'CONTENT_REJECTED',
        message: 'Publishing: topic_type: Topic type is required for post creation',
      },
    ],
    [
      'of a missing field',
      400,
      validation({ code: 2, field: 'summary', message: 'summary is required' }),
      'post',
      { kind: 'rejected', code: 'CONTENT_REJECTED', message: 'Publishing: summary is required' },
    ],
    [
      'of a file that Google could not fetch',
      400,
      validation({ code: 1000, message: 'Fetching image failed.' }),
      'photo_post',
      { kind: 'transient', code: 'MEDIA_REJECTED', retries: 2, outcomeUnknown: false },
    ],
    [
      'of a file that is too large to fetch',
      400,
      validation({
        code: 10,
        message: 'Media fetch response bytes too large (max: 26214400B).',
        value: 'https://x',
      }),
      'gallery',
      {
        kind: 'rejected',
        code: 'MEDIA_REJECTED',
        message: 'Publishing: Media fetch response bytes too large (max: 26214400B)',
      },
    ],
    [
      'of a video in a post',
      400,
      validation({ message: 'Video uploaded from post is not currently supported.' }),
      'photo_post',
      { kind: 'rejected', code: 'MEDIA_REJECTED' },
    ],
    [
      'of a picture',
      400,
      validation({ code: 5, field: 'media', message: 'Multiframe not supported', subErrorCode: 101 }),
      'photo_post',
      { kind: 'rejected', code: 'MEDIA_REJECTED' },
    ],
    [
      'of a picture without details',
      400,
      envelope(400, 'INVALID_ARGUMENT', INVALID),
      'photo_post',
      { kind: 'rejected', code: 'MEDIA_REJECTED', message: expect.stringContaining('JPG and PNG of 10 KB') },
    ],
    [
      'of a video without details',
      400,
      envelope(400, 'INVALID_ARGUMENT', INVALID),
      'gallery',
      { kind: 'transient', code: 'MEDIA_REJECTED', retries: 1, outcomeUnknown: false },
    ],
    [
      'of a text without details',
      400,
      envelope(400, 'INVALID_ARGUMENT', INVALID),
      'post',
      { kind: 'rejected', code: 'CONTENT_REJECTED' },
    ],
    [
      'of a location that is not verified',
      400,
      envelope(400, 'FAILED_PRECONDITION', 'Precondition check failed.'),
      'post',
      { kind: 'rejected', code: 'CONTENT_REJECTED', message: expect.stringContaining('not verified') },
    ],
    [
      'of a parameter of a newer API',
      400,
      envelope(400, 'INVALID_ARGUMENT', INVALID, [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'read_mask', description: 'is required' }],
        },
      ]),
      'read',
      { kind: 'rejected', code: 'INTERNAL', message: 'Publishing: read_mask: is required' },
    ],
    [
      'of the token',
      401,
      envelope(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'),
      'post',
      { kind: 'token_expired', code: 'TOKEN_EXPIRED' },
    ],
    [
      'of the scopes',
      403,
      envelope(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.', [
        info('ACCESS_TOKEN_SCOPE_INSUFFICIENT'),
      ]),
      'post',
      { kind: 'rejected', code: 'PERMISSION_MISSING', message: expect.stringContaining('tick every box') },
    ],
    [
      'of the location',
      403,
      envelope(403, 'PERMISSION_DENIED', 'The caller does not have permission'),
      'post',
      {
        kind: 'rejected',
        code: 'PERMISSION_MISSING',
        keepsAccount: true,
        message: expect.stringContaining('suspended'),
      },
    ],
    [
      'of an API that is not enabled',
      403,
      envelope(403, 'PERMISSION_DENIED', 'It is disabled.', [info('SERVICE_DISABLED')]),
      'read',
      {
        kind: 'rejected',
        code: 'INTERNAL',
        message: expect.stringContaining('Enable the Business Profile APIs'),
      },
    ],
    [
      'of a missing location',
      404,
      envelope(404, 'NOT_FOUND', 'Requested entity was not found.'),
      'post',
      { kind: 'rejected', code: 'CONTENT_REJECTED' },
    ],
    [
      'of a malformed path',
      404,
      '<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>',
      'post',
      { kind: 'rejected', code: 'INTERNAL', message: 'Publishing: Google answered 404' },
    ],
    [
      'of a conflict',
      409,
      envelope(409, 'ABORTED', 'Aborted.'),
      'post',
      { kind: 'transient', outcomeUnknown: false },
    ],
    [
      'of a project that is not approved',
      429,
      quota('0', '1/min/{project}'),
      'read',
      { kind: 'rejected', code: 'QUOTA_EXHAUSTED', message: expect.stringContaining('Basic API Access') },
    ],
    ...[500, 503, 504].map((status): [string, number, object | string, Purpose, object] => [
      'by a failing server',
      status,
      envelope(status, 'INTERNAL', 'Internal error encountered.'),
      'post',
      { kind: 'transient', code: 'PLATFORM_UNAVAILABLE', outcomeUnknown: true },
    ]),
    ['that is not known', 418, 'teapot', 'post', { kind: 'rejected', code: 'INTERNAL' }],
  ])('%s (%i) is classified', (_, status, body, purpose, expected) => {
    expect(classify(status, body, purpose)).toMatchObject(expected);
  });

  test('of too many requests per minute is retried with the usual backoff, which begins with a minute', () => {
    const error = classify(429, quota('300', '1/min/{project}'));
    expect(error).toMatchObject({ kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT' });
    expect(error.retryAfterMs).toBeUndefined();
  });

  test('of too many requests per day waits for midnight in Pacific Time', () => {
    const error = classify(429, quota('1000', '1/d/{project}'));
    const midnight = Date.parse('2026-03-03T08:00:00Z') - NOW;
    expect(error).toMatchObject({ kind: 'rate_limited', code: 'QUOTA_EXHAUSTED' });
    expect(error.retryAfterMs).toBeGreaterThan(midnight);
    expect(error.retryAfterMs).toBeLessThan(midnight + 15 * MINUTE);
  });

  test('with Retry-After waits that long', () => {
    expect(classify(503, '', 'post', { 'retry-after': '7' }).retryAfterMs).toBe(7000);
  });

  test('says whether a resource is missing or denied', () => {
    const missing = classify(404, envelope(404, 'NOT_FOUND', 'x'));
    const denied = classify(403, envelope(403, 'PERMISSION_DENIED', 'x'));
    expect([isMissing(missing), isDenied(missing)]).toEqual([true, false]);
    expect([isMissing(denied), isDenied(denied)]).toEqual([false, true]);
    expect(isMissing(classify(404, '<html>'))).toBe(false);
  });
});
