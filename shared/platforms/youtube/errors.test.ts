import { describe, expect, test } from '@jest/globals';
import type { Purpose } from './error-row.ts';
import { isUploadBucket, toYoutubeError } from './errors.ts';

const NOON = Date.parse('2026-12-01T20:00:00Z');
const HOUR = 3_600_000;
const MINUTE = 60_000;

interface Given {
  status: number;
  body?: object | string;
  headers?: Record<string, string>;
  purpose?: Purpose;
  young?: boolean;
  now?: number;
}

function classified({
  status,
  body = '',
  headers = {},
  purpose = 'upload',
  young = false,
  now = NOON,
}: Given) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = { status, headers, body: Buffer.from(text) };
  return toYoutubeError(response, { what: 'Uploading', purpose, young }, now);
}

/** The envelope of the Data API. */
const body = (code: number, reason: string, message = 'Words', more: object = {}) => ({
  error: { code, message, errors: [{ message, domain: 'youtube', reason }], ...more },
});

const PER_DAY =
  "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per day' of service 'youtube.googleapis.com' for consumer 'project_number:123456789012'.";

describe('an error is', () => {
  test.each<[string, Given, object]>([
    [
      'authError',
      { status: 401, body: body(401, 'authError') },
      { kind: 'token_expired', code: 'TOKEN_EXPIRED' },
    ],
    ['a 401 without a body', { status: 401 }, { kind: 'token_expired' }],
    [
      'youtubeSignupRequired',
      { status: 401, body: body(401, 'youtubeSignupRequired', 'Unauthorized') },
      {
        kind: 'rejected',
        code: 'PERMISSION_MISSING',
        message: expect.stringContaining('has no YouTube channel'),
      },
    ],
    [
      'a missing scope',
      {
        status: 403,
        body: body(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.', {
          details: [{ reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT', metadata: {} }],
        }),
      },
      { kind: 'rejected', code: 'PERMISSION_MISSING' },
    ],
    [
      'quotaExceeded',
      { status: 403, body: body(403, 'quotaExceeded') },
      { kind: 'rate_limited', code: 'QUOTA_EXHAUSTED' },
    ],
    [
      'dailyLimitExceeded',
      { status: 403, body: body(403, 'dailyLimitExceeded') },
      { code: 'QUOTA_EXHAUSTED' },
    ],
    [
      'a burst',
      { status: 403, body: body(403, 'userRateLimitExceeded') },
      { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: undefined },
    ],
    [
      'a burst with a delay',
      { status: 429, body: body(429, 'rateLimitExceeded'), headers: { 'retry-after': '7' } },
      { kind: 'rate_limited', retryAfterMs: 7000 },
    ],
    [
      'the upload bucket',
      { status: 429, body: body(429, 'rateLimitExceeded', PER_DAY) },
      { kind: 'rate_limited', code: 'QUOTA_EXHAUSTED' },
    ],
    [
      'uploadLimitExceeded',
      { status: 400, body: body(400, 'uploadLimitExceeded') },
      { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: 6 * HOUR },
    ],
    [
      'too many thumbnails',
      { status: 429, body: body(429, 'uploadRateLimitExceeded'), purpose: 'thumbnail' },
      // A day after the first attempt, there is no further one.
      { kind: 'rate_limited', retryAfterMs: 23 * HOUR },
    ],
    [
      'too many playlists',
      { status: 429, body: body(429, 'rateLimitExceeded'), purpose: 'playlist' },
      { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: 24 * HOUR },
    ],
    [
      'invalidTitle',
      { status: 400, body: body(400, 'invalidTitle') },
      { kind: 'rejected', code: 'CONTENT_REJECTED' },
    ],
    [
      'invalidTags',
      { status: 400, body: body(400, 'invalidTags') },
      { kind: 'rejected', code: 'CONTENT_REJECTED' },
    ],
    ['mediaBodyRequired', { status: 400, body: body(400, 'mediaBodyRequired') }, { code: 'MEDIA_REJECTED' }],
    [
      'unexpectedPart',
      { status: 400, body: body(400, 'unexpectedPart', "'recording_details'") },
      { code: 'INTERNAL' },
    ],
    [
      'a missing part',
      { status: 400, body: body(400, 'required', 'Required parameter: part') },
      { code: 'INTERNAL' },
    ],
    [
      'forbiddenPrivacySetting',
      { status: 403, body: body(403, 'forbiddenPrivacySetting') },
      { code: 'CONTENT_REJECTED' },
    ],
    [
      'a suspended channel',
      { status: 403, body: body(403, 'channelSuspended') },
      { kind: 'rejected', code: 'PERMISSION_MISSING' },
    ],
    [
      'a disabled API',
      {
        status: 403,
        body: body(403, 'accessNotConfigured', 'YouTube Data API v3 has not been used in project 1'),
      },
      { kind: 'rejected', code: 'INTERNAL', message: expect.stringContaining('Enable the API') },
    ],
    [
      'a thumbnail of an unverified channel',
      {
        status: 403,
        body: {
          error: {
            code: 403,
            message: 'The caller does not have permission',
            errors: [{ domain: 'global', reason: 'forbidden' }],
          },
        },
        purpose: 'thumbnail',
      },
      { kind: 'rejected', message: expect.stringContaining('youtube.com/verify') },
    ],
    [
      'a new video',
      { status: 404, body: body(404, 'videoNotFound'), young: true },
      { kind: 'transient', outcomeUnknown: false },
    ],
    ['an unknown video', { status: 404, body: body(404, 'videoNotFound') }, { kind: 'rejected' }],
    [
      'a private video',
      { status: 400, body: body(400, 'failedPrecondition'), young: true },
      { kind: 'transient' },
    ],
    [
      'processingFailure',
      { status: 400, body: body(400, 'processingFailure'), purpose: 'comment' },
      { kind: 'transient' },
    ],
    ['a conflict', { status: 409, body: body(409, 'aborted') }, { kind: 'transient', outcomeUnknown: true }],
    [
      'backendError',
      { status: 500, body: body(500, 'backendError') },
      { kind: 'transient', outcomeUnknown: true },
    ],
    [
      'a page',
      { status: 503, body: '<html>Sorry</html>', headers: { 'retry-after': '20' } },
      { kind: 'transient', retryAfterMs: 20_000 },
    ],
    [
      'a malformed range',
      { status: 400, body: 'Failed to parse Content-Range header.' },
      { kind: 'rejected', code: 'INTERNAL', message: 'Uploading: Failed to parse Content-Range header.' },
    ],
    ['a missing length', { status: 411, body: '<html>' }, { kind: 'rejected', code: 'INTERNAL' }],
    ['of a new kind', { status: 418, body: '[]' }, { kind: 'rejected', code: 'CONTENT_REJECTED' }],
  ])('%s', (_, given, expected) => expect(classified(given)).toMatchObject(expected));

  test('told without HTML', () => {
    const message = 'You have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.';
    expect(classified({ status: 403, body: body(403, 'quotaExceeded', message) }).message).toBe(
      'Uploading: You have exceeded your quota.',
    );
  });
});

describe('an exhausted quota', () => {
  const waitAt = (iso: string) => {
    const now = Date.parse(iso);
    return now + classified({ status: 403, body: body(403, 'quotaExceeded'), now }).retryAfterMs!;
  };

  test.each([
    ['2026-12-01T20:00:00Z', '2026-12-02T08:00:00Z'],
    ['2026-03-08T09:00:00Z', '2026-03-09T07:00:00Z'],
    ['2026-11-01T08:00:00Z', '2026-11-02T08:00:00Z'],
  ])('at %s waits until some minutes after %s, midnight in California', (now, reset) => {
    const until = waitAt(now) - Date.parse(reset);
    expect(until).toBeGreaterThanOrEqual(MINUTE);
    expect(until).toBeLessThanOrEqual(10 * MINUTE);
  });

  test('of uploads is told from the common one, with and without details', () => {
    const details = [{ metadata: { quota_unit: '1/d/{project}' } }];
    const uploads = classified({ status: 429, body: body(429, 'rateLimitExceeded', PER_DAY, { details }) });
    expect(isUploadBucket(uploads)).toBe(true);
    expect(isUploadBucket(classified({ status: 403, body: body(403, 'quotaExceeded') }))).toBe(false);
    const byUnit = classified({ status: 429, body: body(429, 'rateLimitExceeded', 'Too much', { details }) });
    expect(byUnit.code).toBe('QUOTA_EXHAUSTED');
  });
});
