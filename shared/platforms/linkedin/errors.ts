import * as v from 'valibot';
import type { FailureCode } from '../../model/failure.ts';
import { parseJson } from '../../model/json.ts';
import type { HttpResponse } from '../../net/http.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../time/instant.ts';
import { PlatformError, type PlatformErrorKind } from '../contract/error.ts';

/** The kind of call that was refused: the same error means different things. */
export type Purpose = 'read' | 'status' | 'upload' | 'create' | 'comment';

const text = v.fallback(v.optional(v.string(), ''), '');

const ErrorSchema = v.object({
  code: text,
  serviceErrorCode: v.fallback(v.nullish(v.number(), null), null),
  message: text,
  errorDetails: v.fallback(
    v.optional(
      v.object({ inputErrors: v.optional(v.array(v.object({ code: text, description: text })), []) }),
      {},
    ),
    { inputErrors: [] },
  ),
});

/** An error response of LinkedIn. */
export interface ErrorResponse {
  status: number;
  /** The codes of the response and of its details. */
  codes: readonly string[];
  serviceErrorCode: number | null;
  /** LinkedIn's own words; empty where there are none. */
  message: string;
  /** Names the request in LinkedIn's logs. */
  requestId: string | null;
}

export function readErrorResponse({ status, body, headers }: HttpResponse): ErrorResponse {
  const parsed = v.safeParse(ErrorSchema, parseJson(body.toString('utf8')));
  const { code, serviceErrorCode, message, errorDetails } = parsed.success
    ? parsed.output
    : v.parse(ErrorSchema, {});
  const { inputErrors } = errorDetails;
  const described = inputErrors.map(({ description }) => description).filter(Boolean);
  return {
    status,
    codes: [code, ...inputErrors.map(each => each.code)].filter(Boolean),
    serviceErrorCode,
    message: [...new Set([message, ...described])].filter(Boolean).join('; '),
    requestId: headers['x-li-uuid'] ?? headers['x-li-request-id'] ?? null,
  };
}

interface Row {
  status?: number;
  purpose?: Purpose;
  /** One of the response's codes. */
  codes?: readonly string[];
  message?: RegExp;
  when?: (error: ErrorResponse) => boolean;
  kind: PlatformErrorKind;
  code: FailureCode;
  /** What the user can do, where LinkedIn's words do not say it. */
  hint?: string;
  /** True where a 5xx tells that nothing was done. */
  without_effect?: boolean;
  /** True where the member's own posts, and those of other pages, are not affected. */
  keeps_account?: true;
}

const VERSION_HINT = "The version of LinkedIn's API is not accepted: set api_version of the LinkedIn app";
const MEDIA_CODES = [
  'MEDIA_ASSET_PROCESSING_FAILED',
  'UPDATING_ASSET_FAILED',
  'INVALID_IMAGE_ID',
  'INVALID_VIDEO_ID',
];

/** The first matching row decides. */
const TABLE: readonly Row[] = [
  {
    purpose: 'comment',
    message: /unable to obtain activity/i,
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    without_effect: true,
  },
  { when: ({ status }) => status >= 500 || status === 408, kind: 'transient', code: 'PLATFORM_UNAVAILABLE' },
  { status: 401, kind: 'token_expired', code: 'TOKEN_EXPIRED' },
  { status: 429, kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT' },
  { when: isVersionError, kind: 'rejected', code: 'INTERNAL', hint: VERSION_HINT },
  {
    status: 403,
    purpose: 'status',
    message: /accessing this \w+ resource is forbidden/i,
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
  },
  {
    status: 403,
    message: /\/author/,
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    keeps_account: true,
    hint: 'LinkedIn does not accept the author: the member needs the role of an administrator or content administrator of the page; otherwise reconnect the account',
  },
  {
    status: 403,
    purpose: 'comment',
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    hint: 'Only apps with the Community Management API may comment',
  },
  { status: 403, kind: 'rejected', code: 'PERMISSION_MISSING' },
  { status: 404, purpose: 'status', kind: 'transient', code: 'PLATFORM_UNAVAILABLE' },
  { status: 404, purpose: 'comment', kind: 'transient', code: 'PLATFORM_UNAVAILABLE' },
  { status: 409, kind: 'transient', code: 'PLATFORM_UNAVAILABLE' },
  { status: 411, kind: 'rejected', code: 'INTERNAL' },
  {
    codes: ['MEDIA_ASSET_WAITING_UPLOAD', 'EXPIRED_UPLOAD_URL'],
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
  },
  { codes: MEDIA_CODES, kind: 'rejected', code: 'MEDIA_REJECTED' },
  { status: 422, when: isDuplicate, kind: 'rejected', code: 'DUPLICATE_REJECTED' },
  { purpose: 'upload', kind: 'rejected', code: 'MEDIA_REJECTED' },
  { kind: 'rejected', code: 'CONTENT_REJECTED' },
];

function isVersionError({ status, codes, message }: ErrorResponse): boolean {
  if (status === 426 || codes.includes('NONEXISTENT_VERSION') || codes.includes('VERSION_MISSING'))
    return true;
  return status === 400 && /linkedin-version|version header/i.test(message);
}

function isDuplicate({ codes, message }: ErrorResponse): boolean {
  return codes.includes('DUPLICATE_POST') || /content is a duplicate of/i.test(message);
}

function matches(row: Row, error: ErrorResponse, purpose: Purpose): boolean {
  return (
    (row.status === undefined || row.status === error.status) &&
    (row.purpose === undefined || row.purpose === purpose) &&
    (row.codes?.some(code => error.codes.includes(code)) ?? true) &&
    (row.message?.test(error.message) ?? true) &&
    (row.when?.(error) ?? true)
  );
}

/** Classifies an error response. `what` names the call in the message; `now` is epoch milliseconds. */
export function toPlatformError(
  response: HttpResponse,
  purpose: Purpose,
  what: string,
  now: number,
): PlatformError {
  const error = readErrorResponse(response);
  const row = TABLE.find(each => matches(each, error, purpose));
  const {
    kind,
    code,
    hint,
    without_effect = false,
    keeps_account,
  }: Row = row ?? { kind: 'rejected', code: 'INTERNAL' };
  const codes = error.codes.filter(each => !error.message.includes(each));
  const words = [codes.join(', '), error.message].filter(Boolean).join(': ');
  const request = error.requestId === null ? '' : ` (request ${error.requestId})`;
  return new PlatformError({
    kind,
    code,
    message: [`${what}: ${words || `LinkedIn answered ${response.status}`}${request}`, hint]
      .filter(Boolean)
      .join('. '),
    ...(kind === 'rate_limited' ? { retryAfterMs: waitMs(response, error, now), backoffMs: BACKOFF_MS } : {}),
    keepsAccount: keeps_account,
    outcomeUnknown: !without_effect && (response.status >= 500 || response.status === 408),
  });
}

/** LinkedIn names no reset. Daily quotas are full again at midnight UTC; the wait is spread so that not all retry at once. */
const DAILY_SPREAD_MS = 10 * MINUTE;
/** A whole day after the first attempt, there is no further one. */
const LONGEST_WAIT_MS = DAY - MINUTE;
/** For other limits, of which LinkedIn does not say how long they last. */
const BACKOFF_MS = [5 * MINUTE, 15 * MINUTE, HOUR];

function waitMs({ headers }: HttpResponse, { message }: ErrorResponse, now: number): number | undefined {
  const retryAfter = Number(headers['retry-after']) * SECOND;
  if (retryAfter > 0) return Math.max(MINUTE, retryAfter);
  if (!/\bDAY\b/.test(message)) return undefined;
  return Math.min(LONGEST_WAIT_MS, DAY - (now % DAY) + Math.floor(Math.random() * DAILY_SPREAD_MS));
}

/** True where LinkedIn still waits for the media of a post, which was not created. */
export const isWaitingForMedia = ({ message }: PlatformError) =>
  message.includes('MEDIA_ASSET_WAITING_UPLOAD');
