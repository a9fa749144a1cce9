import * as v from 'valibot';
import type { FailureCode } from '../../model/failure.ts';
import { parseJson } from '../../model/json.ts';
import type { HttpResponse } from '../../net/http.ts';
import { HOUR } from '../../time/instant.ts';
import { PlatformError, type PlatformErrorInit, type PlatformErrorKind } from '../contract/error.ts';

/** A refusal by TikTok, which may have the status 200. */
export interface ErrorResponse {
  status: number;
  /** Empty where the body names none. */
  code: string;
  message: string;
  /** Names the request in TikTok's logs. */
  log_id: string;
}

/** A refusal, classified. `response` lets publishers recognise single errors. */
export class TikTokError extends PlatformError {
  readonly response: ErrorResponse;
  constructor(init: PlatformErrorInit, response: ErrorResponse) {
    super(init);
    this.response = response;
  }
}

/** How a code of TikTok is treated. */
export interface Row {
  kind: PlatformErrorKind;
  code: FailureCode;
  /** What the user or the operator can do. */
  advice?: string;
  waitMs?: number;
  /** Reconnecting the account would change nothing. */
  keepsAccount?: true;
  /** It limits something else than the number of the account's posts. */
  acceptsPosts?: true;
}

/** Limits of 24 hours: the fourth retry is the last one within the retry budget of a day. */
export const DAY_LIMIT_WAIT_MS = (23 * HOUR) / 4;

const CONTENT: Row = { kind: 'rejected', code: 'CONTENT_REJECTED' };
const MEDIA: Row = { kind: 'rejected', code: 'MEDIA_REJECTED' };
const OUR_FAULT: Row = { kind: 'rejected', code: 'INTERNAL' };
const UNAVAILABLE: Row = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE' };
const DENIED: Row = { kind: 'rejected', code: 'PERMISSION_MISSING' };
const DAY_LIMIT: Row = {
  kind: 'rate_limited',
  code: 'PLATFORM_RATE_LIMIT',
  waitMs: DAY_LIMIT_WAIT_MS,
};

const SPAM: Row = { ...CONTENT, advice: 'TikTok takes the post for spam: change its text.' };
const MISSING_SCOPE: Row = {
  ...DENIED,
  advice: 'Connect the account again and allow all permissions.',
};

export const BANNED: Row = {
  ...DENIED,
  keepsAccount: true,
  advice: 'TikTok has banned the account from posting: its owner must settle that in the TikTok app.',
};
export const TOO_MANY_POSTS: Row = {
  ...DAY_LIMIT,
  advice: 'The account has reached the number of posts that TikTok accepts in 24 hours.',
};

/** By the whole code: `spam_risk` begins others. Messages vary. */
const ROWS: ReadonlyMap<string, Row> = new Map(
  Object.entries<Row>({
    invalid_param: CONTENT,
    invalid_params: CONTENT,
    invalid_file_upload: MEDIA,
    app_version_check_failed: {
      ...DENIED,
      keepsAccount: true,
      advice: 'The owner of the account must update the TikTok app to version 31.8 or newer.',
    },
    access_token_invalid: { kind: 'token_expired', code: 'TOKEN_EXPIRED' },
    scope_not_authorized: MISSING_SCOPE,
    scope_permission_missed: MISSING_SCOPE,
    spam_risk_too_many_posts: TOO_MANY_POSTS,
    spam_risk_too_many_pending_share: {
      ...DAY_LIMIT,
      acceptsPosts: true,
      advice: 'Five drafts of the last 24 hours wait in the inbox of the TikTok app: finish or delete some.',
    },
    spam_risk_user_banned_from_posting: BANNED,
    spam_risk: SPAM,
    spam_risk_text: SPAM,
    reached_active_user_cap: {
      ...DAY_LIMIT,
      acceptsPosts: true,
      advice: 'TikTok has not audited the app: five accounts in 24 hours may post.',
    },
    unaudited_client_can_only_post_to_private_accounts: {
      ...DENIED,
      keepsAccount: true,
      advice:
        'TikTok has not audited the app: set the account itself to private in the TikTok app and post with the privacy level SELF_ONLY, or have the app audited.',
    },
    url_ownership_unverified: {
      ...MEDIA,
      advice: "The operator must verify the service's media domain in the settings of the TikTok app.",
    },
    privacy_level_option_mismatch: {
      ...CONTENT,
      advice: 'Choose one of the privacy_level_options of GET /integrations/tiktok/creator-info.',
    },
    invalid_publish_id: OUR_FAULT,
    token_not_authorized_for_specified_publish_id: OUR_FAULT,
    // Windows of one minute: the usual backoff begins with one and doubles.
    rate_limit_exceeded: { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT' },
    internal_error: UNAVAILABLE,
  }),
);

const BodySchema = v.object({
  error: v.object({
    code: v.fallback(v.string(), ''),
    message: v.fallback(v.string(), ''),
    log_id: v.fallback(v.string(), ''),
  }),
});

/** Returns what a response says about its request; the code is `ok` for a success. */
export function readError({ status, body }: Pick<HttpResponse, 'status' | 'body'>): ErrorResponse {
  const parsed = v.safeParse(BodySchema, parseJson(body.toString('utf8')));
  return { status, ...(parsed.success ? parsed.output.error : { code: '', message: '', log_id: '' }) };
}

/** Classifies a refusal; `what` names the request in the message. */
export function toPlatformError(response: ErrorResponse, what: string): TikTokError {
  const { status, code } = response;
  const isServerFault = status >= 500 || status === 408 || code === 'internal_error';
  const { kind, code: failure, advice, waitMs, ...account } = isServerFault ? UNAVAILABLE : rowOf(response);
  return new TikTokError(
    {
      kind,
      code: failure,
      message: messageOf(response, what, advice),
      retryAfterMs: waitMs,
      outcomeUnknown: isServerFault,
      ...account,
    },
    response,
  );
}

function rowOf({ status, code }: ErrorResponse): Row {
  const row = ROWS.get(code) ?? (status === 429 ? ROWS.get('rate_limit_exceeded') : undefined);
  return row ?? CONTENT;
}

function messageOf({ status, code, message, log_id }: ErrorResponse, what: string, advice?: string): string {
  const words = message.trim().replace(/\.$/, '') || `TikTok answered ${status}`;
  const facts = [code, log_id === '' ? '' : `log id ${log_id}`].filter(Boolean).join(', ');
  const sentence = `${what}: ${words}${facts === '' ? '' : ` (${facts})`}`;
  return advice === undefined ? sentence : `${sentence}. ${advice}`;
}

/** True for an error with this code. */
export const hasCode = (error: unknown, ...codes: string[]): error is TikTokError =>
  error instanceof TikTokError && codes.includes(error.response.code);

/** True where TikTok refused the size of the chunks, which it sometimes does although the size follows its rules. */
export const isChunkSizeRefused = (error: unknown) =>
  hasCode(error, 'invalid_param', 'invalid_params') && /chunk size is invalid/i.test(error.response.message);

export const unavailable = (message: string) =>
  new PlatformError({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message });
