import { describe, expect, test } from '@jest/globals';
import { DAY_LIMIT_WAIT_MS, hasCode, isChunkSizeRefused, readError, toPlatformError } from './errors.ts';

const refusal = (status: number, code: string, message = 'Words of TikTok') => {
  const body = Buffer.from(JSON.stringify({ data: {}, error: { code, message, log_id: '2026X' } }));
  return toPlatformError(readError({ status, body }), 'Publishing');
};

describe('the code of an error', () => {
  test.each<[number, string, string, string]>([
    [400, 'invalid_param', 'rejected', 'CONTENT_REJECTED'],
    [400, 'invalid_params', 'rejected', 'CONTENT_REJECTED'],
    [400, 'invalid_file_upload', 'rejected', 'MEDIA_REJECTED'],
    [400, 'app_version_check_failed', 'rejected', 'PERMISSION_MISSING'],
    [401, 'access_token_invalid', 'token_expired', 'TOKEN_EXPIRED'],
    [401, 'scope_not_authorized', 'rejected', 'PERMISSION_MISSING'],
    [400, 'scope_permission_missed', 'rejected', 'PERMISSION_MISSING'],
    [401, 'scope_permission_missed', 'rejected', 'PERMISSION_MISSING'],
    [403, 'spam_risk_too_many_posts', 'rate_limited', 'PLATFORM_RATE_LIMIT'],
    [200, 'spam_risk_too_many_posts', 'rate_limited', 'PLATFORM_RATE_LIMIT'],
    [403, 'spam_risk_too_many_pending_share', 'rate_limited', 'PLATFORM_RATE_LIMIT'],
    [403, 'spam_risk_user_banned_from_posting', 'rejected', 'PERMISSION_MISSING'],
    [200, 'spam_risk_user_banned_from_posting', 'rejected', 'PERMISSION_MISSING'],
    [403, 'spam_risk', 'rejected', 'CONTENT_REJECTED'],
    [403, 'spam_risk_text', 'rejected', 'CONTENT_REJECTED'],
    [403, 'reached_active_user_cap', 'rate_limited', 'PLATFORM_RATE_LIMIT'],
    [200, 'reached_active_user_cap', 'rate_limited', 'PLATFORM_RATE_LIMIT'],
    [403, 'unaudited_client_can_only_post_to_private_accounts', 'rejected', 'PERMISSION_MISSING'],
    [403, 'url_ownership_unverified', 'rejected', 'MEDIA_REJECTED'],
    [403, 'privacy_level_option_mismatch', 'rejected', 'CONTENT_REJECTED'],
    [400, 'invalid_publish_id', 'rejected', 'INTERNAL'],
    [400, 'token_not_authorized_for_specified_publish_id', 'rejected', 'INTERNAL'],
    [429, 'rate_limit_exceeded', 'rate_limited', 'PLATFORM_RATE_LIMIT'],
    [500, 'internal_error', 'transient', 'PLATFORM_UNAVAILABLE'],
    [503, 'other', 'transient', 'PLATFORM_UNAVAILABLE'],
    [400, 'other', 'rejected', 'CONTENT_REJECTED'],
    [404, 'spam_risk_text_2', 'rejected', 'CONTENT_REJECTED'],
    [429, 'other', 'rate_limited', 'PLATFORM_RATE_LIMIT'],
  ])('%i %s is %s with %s', (status, tiktok, kind, code) => {
    expect(refusal(status, tiktok)).toMatchObject({ kind, code, outcomeUnknown: status >= 500 });
  });

  test.each([
    ['spam_risk_too_many_posts', false],
    ['spam_risk_too_many_pending_share', true],
    ['reached_active_user_cap', true],
  ])('%s is a limit of the account during which it takes posts: %s', (code, acceptsPosts) => {
    expect(refusal(403, code)).toMatchObject({ acceptsPosts });
  });

  test('and the number of the log are in the message', () => {
    expect(refusal(403, 'spam_risk').message).toBe(
      'Publishing: Words of TikTok (spam_risk, log id 2026X). TikTok takes the post for spam: change its text.',
    );
  });

  test.each(['spam_risk_too_many_posts', 'spam_risk_too_many_pending_share', 'reached_active_user_cap'])(
    '%s is retried four times within a day',
    code => {
      const { retryAfterMs = 0 } = refusal(403, code);
      expect(retryAfterMs).toBe(DAY_LIMIT_WAIT_MS);
      expect(4 * retryAfterMs).toBe(23 * 3_600_000);
    },
  );

  test('rate_limit_exceeded is retried with the usual backoff, which begins with a minute and doubles', () => {
    expect(refusal(429, 'rate_limit_exceeded').retryAfterMs).toBeUndefined();
  });

  test('of an app that is not audited explains the account, the level and the audit, and keeps the account', () => {
    const error = refusal(403, 'unaudited_client_can_only_post_to_private_accounts');
    expect(error.message).toMatch(/account itself to private.*SELF_ONLY.*audited/);
    expect(error.keepsAccount).toBe(true);
    expect(refusal(401, 'scope_not_authorized').keepsAccount).toBe(false);
  });
});

test.each([
  [502, '<html>', 'transient'],
  [408, '', 'transient'],
  [403, '<html>', 'rejected'],
  [400, '{"error":"text"}', 'rejected'],
])('a response with %i and the body %j is %s', (status, text, kind) => {
  const error = toPlatformError(readError({ status, body: Buffer.from(text) }), 'Publishing');
  expect(error).toMatchObject({ kind, message: `Publishing: TikTok answered ${status}` });
});

test('a refused chunk size is recognised by its words, another parameter is not', () => {
  expect(isChunkSizeRefused(refusal(400, 'invalid_params', 'The chunk size is invalid'))).toBe(true);
  expect(isChunkSizeRefused(refusal(400, 'invalid_params', 'The request post info is empty'))).toBe(false);
  expect(hasCode(refusal(400, 'invalid_publish_id'), 'invalid_publish_id')).toBe(true);
  expect(hasCode(new Error('x'), 'invalid_publish_id')).toBe(false);
});
