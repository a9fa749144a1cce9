import * as v from 'valibot';
import type { FailureCode } from '../../model/failure.ts';
import { parseJson } from '../../model/json.ts';
import type { HttpResponse } from '../../net/http.ts';
import { HOUR, SECOND } from '../../time/instant.ts';
import { PlatformError, type PlatformErrorInit, type PlatformErrorKind } from '../contract/error.ts';
import { retryAfterMs } from '../kit/retry-after.ts';

/** An error response of Pinterest. */
export interface ErrorResponse {
  status: number;
  /** Pinterest's own number, or the HTTP status; 0 where the body names none. */
  code: number;
  message: string;
  /** Names the request in Pinterest's logs. */
  requestId: string | null;
}

/** An error response, classified. `response` lets publishers recognise single errors. */
export class PinterestError extends PlatformError {
  readonly response: ErrorResponse;
  constructor(init: PlatformErrorInit, response: ErrorResponse) {
    super(init);
    this.response = response;
  }
}

const BodySchema = v.object({
  code: v.fallback(v.number(), 0),
  message: v.fallback(v.string(), ''),
  message_detail: v.fallback(v.string(), ''),
});

export function readErrorResponse({ status, body, headers }: HttpResponse): ErrorResponse {
  const parsed = v.safeParse(BodySchema, parseJson(body.toString('utf8')));
  const requestId = headers['x-pinterest-rid'] ?? null;
  if (!parsed.success) return { status, code: 0, message: '', requestId };
  const { code, message, message_detail } = parsed.output;
  return { status, code, message: [message, message_detail].filter(Boolean).join(' '), requestId };
}

interface Row {
  status?: number | readonly number[];
  code?: number | readonly number[];
  message?: RegExp;
  kind: PlatformErrorKind;
  failure: FailureCode;
  /** What the user can do. */
  advice?: string;
  /** The least delay of the next attempt. Milliseconds. */
  waitMs?: number;
  retries?: number;
  /** True where connecting the account again would change nothing. */
  keepsAccount?: boolean;
}

const DENIED = { kind: 'rejected', failure: 'PERMISSION_MISSING', keepsAccount: true } as const;
const MEDIA = { kind: 'rejected', failure: 'MEDIA_REJECTED' } as const;
const CONTENT = { kind: 'rejected', failure: 'CONTENT_REJECTED' } as const;
const OUR_FAULT = { kind: 'rejected', failure: 'INTERNAL' } as const;
const UNAVAILABLE = { kind: 'transient', failure: 'PLATFORM_UNAVAILABLE' } as const;

const UNREACHABLE = /unable to reach the url/i;
const SPAM = /spam/i;

/**
 * Status, code and text together decide: a 401 with code 3 is no expired token, and a 403 with code 233 or 235 no missing
 * permission. The first matching row decides.
 */
const TABLE: readonly Row[] = [
  {
    status: 429,
    message: SPAM,
    kind: 'transient',
    failure: 'CONTENT_REJECTED',
    waitMs: HOUR,
    retries: 2,
    advice: 'Pinterest takes the Pin for spam: change its text and link.',
  },
  { status: 429, kind: 'rate_limited', failure: 'PLATFORM_RATE_LIMIT' },
  { status: [400, 403, 404, 422], message: UNREACHABLE, ...MEDIA },
  { status: 403, code: 233, ...MEDIA },
  { status: 403, code: 235, ...MEDIA },
  {
    status: [401, 403],
    code: 3,
    ...DENIED,
    keepsAccount: false,
    advice: 'Connect the account again and allow all permissions.',
  },
  { status: [401, 403], code: 7, ...DENIED, advice: 'The account has no access to this board or Pin.' },
  {
    status: 403,
    code: 29,
    message: /trial/i,
    ...DENIED,
    advice:
      "The app has trial access: request standard access at Pinterest, or set the app's environment to sandbox and connect again.",
  },
  { status: 403, code: [2625, 2626], ...DENIED, advice: 'Pinterest reviews or has disapproved the account.' },
  { status: 401, kind: 'token_expired', failure: 'TOKEN_EXPIRED' },
  { status: 403, ...DENIED },
  { status: 404, message: /media upload/i, ...UNAVAILABLE },
  { status: 404, code: 2031, ...CONTENT, advice: 'Choose a section of the board.' },
  {
    status: 404,
    message: /board/i,
    ...CONTENT,
    advice: 'Choose a board of GET /integrations/pinterest/boards.',
  },
  { status: 404, ...CONTENT },
  { status: 405, ...OUR_FAULT },
  { status: 400, message: /cover_image_url or cover_image_content_type/, ...OUR_FAULT },
  { status: [408, 409], ...UNAVAILABLE },
];

const includes = (wanted: number | readonly number[] | undefined, found: number) =>
  wanted === undefined || (typeof wanted === 'number' ? wanted === found : wanted.includes(found));

/** Classifies an error response; `what` names the request in the message. */
export function toPlatformError(response: HttpResponse, what: string): PinterestError {
  const error = readErrorResponse(response);
  const row = TABLE.find(
    each =>
      includes(each.status, error.status) &&
      includes(each.code, error.code) &&
      (each.message?.test(error.message) ?? true),
  );
  const unlisted: Row = error.status >= 500 ? UNAVAILABLE : CONTENT;
  const { kind, failure, advice, waitMs, retries, keepsAccount } = row ?? unlisted;
  return new PinterestError(
    {
      kind,
      code: failure,
      message: messageOf(error, what, advice),
      retryAfterMs: delayMs(response, kind, waitMs),
      retries,
      keepsAccount,
      outcomeUnknown: error.status >= 500 || error.status === 408,
    },
    error,
  );
}

function messageOf(
  { status, code, message, requestId }: ErrorResponse,
  what: string,
  advice?: string,
): string {
  const words = message.trim().replace(/\.$/, '') || `Pinterest answered ${status}`;
  const facts = [code > 0 ? `code ${code}` : '', requestId === null ? '' : `request ${requestId}`].filter(
    Boolean,
  );
  const sentence = `${what}: ${words}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
  return advice === undefined ? sentence : `${sentence}. ${advice}`;
}

/** The delay that the response names, at least `leastMs`; undefined where there is neither, which is usual. */
function delayMs(
  response: HttpResponse,
  kind: PlatformErrorKind,
  leastMs: number | undefined,
): number | undefined {
  const named = retryAfterMs(response) ?? (kind === 'rate_limited' ? limitResetMs(response) : undefined);
  return named === undefined || leastMs === undefined ? (named ?? leastMs) : Math.max(named, leastMs);
}

/** Any response may tell when the rate limit resets: only a response to too many requests is about that. */
function limitResetMs({ headers }: HttpResponse): number | undefined {
  const seconds = Number(headers['x-ratelimit-reset']);
  return seconds > 0 ? seconds * SECOND : undefined;
}

const isPinterest = (error: unknown): error is PinterestError => error instanceof PinterestError;

/** True where Pinterest could not fetch an image from its URL. */
export const isUnreachable = (error: unknown) =>
  isPinterest(error) && UNREACHABLE.test(error.response.message);

/** True where Pinterest fetched an image that it cannot read. */
export const isBrokenImage = (error: unknown) => isPinterest(error) && error.response.code === 235;

/** True for an upload that Pinterest does not know any more. */
export const isUnknownUpload = (error: unknown) =>
  isPinterest(error) && error.response.status === 404 && /media upload/i.test(error.response.message);

export const isMissing = (error: unknown) => isPinterest(error) && error.response.status === 404;
