import { describe, expect, test } from '@jest/globals';
import { readAnswer } from './envelope.ts';
import { isAlreadyPosting, isMediaExpired, isStillProcessing, toPlatformError } from './errors.ts';

const classify = (status: number, body: object | string, headers: Record<string, string> = {}) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = { status, headers, body: Buffer.from(text) };
  const reading = readAnswer(response, false);
  if (reading.type !== 'error') throw new Error(`Read as ${reading.type}`);
  return toPlatformError(response, reading.error, 'Publishing');
};
const error = (more: object) => ({
  request_status: 'ERROR',
  request_id: 'r-1',
  display_message: "We're sorry",
  ...more,
});
const coded = (error_code: string, debug_message = 'Details') => error({ error_code, debug_message });
const said = (debug_message: string) => error({ debug_message });

const WAIT = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE', outcomeUnknown: false };
const LOST = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE', outcomeUnknown: true };
const MEDIA = { kind: 'rejected', code: 'MEDIA_REJECTED', outcomeUnknown: false };
const CONTENT = { kind: 'rejected', code: 'CONTENT_REJECTED', outcomeUnknown: false };
const ACCESS = {
  kind: 'rejected',
  code: 'PERMISSION_MISSING',
  keepsAccount: true,
  message: expect.stringMatching(/allowlist.*role on the public profile/),
};

describe('an error response of Snapchat', () => {
  test.each<[number, object | string, object]>([
    [401, '', { kind: 'token_expired', code: 'TOKEN_EXPIRED' }],
    [403, '', ACCESS],
    [403, coded('AUTHORIZATION_PERMISSION_DENIED'), ACCESS],
    [200, coded('AUTHORIZATION_PERMISSION_DENIED'), ACCESS],
    [400, coded('AUTHORIZATION_PERMISSION_DENIED'), ACCESS],
    [
      404,
      '',
      {
        kind: 'rejected',
        code: 'PERMISSION_MISSING',
        keepsAccount: true,
        message: expect.stringContaining('public profile'),
      },
    ],
    [200, coded('MEDIA_PROCESSING'), WAIT],
    [400, coded('MEDIA_PROCESSING'), WAIT],
    [409, coded('MEDIA_PROCESSING'), WAIT],
    [500, coded('MEDIA_PROCESSING'), WAIT],
    [400, 'Media is still being processed', WAIT],
    [400, said('The media is processing'), WAIT],
    [
      200,
      {
        request_status: 'PARTIAL',
        saved_stories: [{ sub_request_status: 'ERROR', sub_request_error_reason: 'MEDIA_PROCESSING' }],
      },
      WAIT,
    ],
    [400, coded('MEDIA_EXPIRED'), WAIT],
    [200, coded('MEDIA_EXPIRED'), WAIT],
    [400, coded('MEDIA_POSTING_ALREADY_IN_PROGRESS'), WAIT],
    [409, coded('MEDIA_POSTING_ALREADY_IN_PROGRESS'), WAIT],
    [400, said('Media size is too large'), MEDIA],
    [413, '', MEDIA],
    [400, said('Video duration must be between 6 and 60 seconds'), MEDIA],
    [400, said('The resolution is too low'), MEDIA],
    [400, said('Unsupported codec'), MEDIA],
    [400, said('Media processing failed'), MEDIA],
    [400, said('The media could not be processed'), MEDIA],
    [400, said("Invalid field 'description': too long"), CONTENT],
    [400, said("Invalid field 'locale'"), CONTENT],
    [400, said("Invalid field 'title'"), CONTENT],
    [400, said('Unable to process the request'), CONTENT],
    [422, '', CONTENT],
    [200, coded('SOMETHING_ELSE'), CONTENT],
    [200, error({}), { ...CONTENT, message: "Publishing: We're sorry (request r-1)" }],
    [
      200,
      {
        request_status: 'PARTIAL',
        saved_stories: [{ sub_request_status: 'ERROR', sub_request_error_reason: 'Title is taken' }],
      },
      { ...CONTENT, message: 'Publishing: Title is taken' },
    ],
    [
      200,
      { request_status: 'SUCCESS', saved_stories: [{ sub_request_status: 'ERROR' }] },
      { ...CONTENT, message: 'Publishing: sub_request_status ERROR' },
    ],
    [429, '', { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: undefined }],
    [408, '', LOST],
    [500, '', LOST],
    [502, '<html>Bad Gateway</html>', { ...LOST, message: 'Publishing: Snapchat answered 502' }],
    [503, error({ debug_message: 'Unavailable' }), LOST],
    [500, coded('INTERNAL_ERROR'), LOST],
    [500, coded('MEDIA_EXPIRED'), WAIT],
  ])('%d with %j is classified', (status, body, expected) => {
    expect(classify(status, body)).toMatchObject(expected);
  });

  test('names the delay of Retry-After', () => {
    expect(classify(429, '', { 'retry-after': '30' }).retryAfterMs).toBe(30_000);
    const { backoffMs } = classify(429, '');
    expect([backoffMs?.[0], backoffMs?.[1], backoffMs?.at(-1)]).toEqual([5_000, 10_000, 600_000]);
  });

  test('names code, words and request', () => {
    expect(classify(400, coded('X_Y', 'Debug words.')).message).toBe(
      'Publishing: X_Y: Debug words (request r-1)',
    );
  });

  test('that processing, expiry and an earlier request cause is recognised', () => {
    expect(isStillProcessing(classify(400, 'Media is still being processed'))).toBe(true);
    expect(isMediaExpired(classify(400, coded('MEDIA_EXPIRED')))).toBe(true);
    expect(isAlreadyPosting(classify(400, coded('MEDIA_POSTING_ALREADY_IN_PROGRESS')))).toBe(true);
    for (const is of [isStillProcessing, isMediaExpired, isAlreadyPosting]) {
      expect([is(classify(400, coded('OTHER'))), is(new Error('MEDIA_EXPIRED'))]).toEqual([false, false]);
    }
  });
});

describe('an answer with 200', () => {
  const read = (body: string, partial = false) =>
    readAnswer({ status: 200, headers: {}, body: Buffer.from(body) }, partial).type;

  test.each(['', '<html>', '{}', '[]', 'null', '{"request_status":'])('is unreadable as %j', body => {
    expect(read(body)).toBe('unreadable');
  });

  test('is a success in either case of letters', () => {
    expect([read('{"request_status":"SUCCESS"}'), read('{"request_status":"success"}')]).toEqual([
      'success',
      'success',
    ]);
  });

  test('may be partial where that is asked for', () => {
    const body = '{"request_status":"PARTIAL","list":[{"sub_request_status":"ERROR"}]}';
    expect([read(body), read(body, true)]).toEqual(['error', 'success']);
  });
});
