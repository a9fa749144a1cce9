import * as v from 'valibot';
import { parseJson } from '../../model/json.ts';
import type { FailureCode } from '../../model/failure.ts';
import type { HttpResponse } from '../../net/http.ts';
import { HOUR, MINUTE, SECOND } from '../../time/instant.ts';
import { PlatformError, type PlatformErrorKind } from '../contract/error.ts';

/** The kind of call that was refused: the same error means different things. */
export type Purpose = 'read' | 'media' | 'create';

/** The three error formats of X in one schema: problem details, the legacy error list, OAuth errors. */
const ProblemSchema = v.object({
  type: v.optional(v.string(), ''),
  title: v.optional(v.string(), ''),
  detail: v.optional(v.string(), ''),
  period: v.optional(v.string(), ''),
  error: v.optional(v.string(), ''),
  error_description: v.optional(v.string(), ''),
  /** The parameter that is wrong: here, or as a key of `errors[].parameters`. */
  parameter: v.optional(v.string()),
  errors: v.optional(
    v.array(
      v.object({
        code: v.optional(v.number()),
        message: v.optional(v.string(), ''),
        detail: v.optional(v.string(), ''),
        parameters: v.optional(v.looseObject({}), {}),
      }),
    ),
    [],
  ),
});

/** An error response of X, in whichever format. */
export interface ErrorResponse {
  status: number;
  purpose: Purpose;
  /** Last segment of the problem type's URI; the part before it has changed more than once. */
  type: string;
  title: string;
  period: string;
  /** OAuth error code. */
  error: string;
  /** Numbers of the legacy format: https://developer.x.com/en/support/x-api/error-troubleshooting */
  codes: readonly number[];
  /** Names of the parameters that X finds wrong. */
  parameters: readonly string[];
  /** X's own message; the title when there is none. */
  message: string;
}

export function readErrorResponse(response: HttpResponse, purpose: Purpose): ErrorResponse {
  const parsed = v.safeParse(ProblemSchema, parseJson(response.body.toString('utf8')));
  const problem = parsed.success ? parsed.output : v.parse(ProblemSchema, {});
  const listed = problem.errors.map(({ message, detail }) => message || detail).filter(Boolean);
  const messages = [...new Set([problem.detail || problem.error_description, ...listed])].filter(Boolean);
  return {
    status: response.status,
    purpose,
    type: problem.type.split(/[/#]/).at(-1) ?? '',
    title: problem.title,
    period: problem.period,
    error: problem.error,
    codes: problem.errors.flatMap(({ code }) => code ?? []),
    parameters: [problem.parameter ?? [], ...problem.errors.map(each => Object.keys(each.parameters))].flat(),
    message: messages.join('; ') || problem.title,
  };
}

interface Row {
  status?: number;
  purpose?: Purpose;
  type?: string;
  message?: RegExp;
  when?: (errorResponse: ErrorResponse) => boolean;
  kind: PlatformErrorKind;
  code: FailureCode;
  retries?: number;
}

/** The first matching row decides. */
const TABLE: readonly Row[] = [
  { when: ({ status }) => status >= 500 || status === 408, kind: 'transient', code: 'PLATFORM_UNAVAILABLE' },
  { status: 401, kind: 'token_expired', code: 'TOKEN_EXPIRED' },
  { status: 402, kind: 'rejected', code: 'QUOTA_EXHAUSTED' },
  {
    status: 429,
    when: errorResponse => isCapped(errorResponse) && !/^daily$/i.test(errorResponse.period),
    kind: 'rejected',
    code: 'QUOTA_EXHAUSTED',
  },
  { status: 429, kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT' },
  { when: isAccountLimit, kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT' },
  // Repeating it again and again endangers the account.
  { when: isSpamFilter, kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retries: 1 },
  { when: isDuplicate, kind: 'rejected', code: 'DUPLICATE_REJECTED' },
  { status: 403, type: 'unsupported-authentication', kind: 'token_expired', code: 'TOKEN_EXPIRED' },
  { status: 403, type: 'client-forbidden', kind: 'rejected', code: 'QUOTA_EXHAUSTED' },
  { status: 403, type: 'user-suspended', kind: 'rejected', code: 'PERMISSION_MISSING' },
  { when: isUnusableAccount, kind: 'rejected', code: 'PERMISSION_MISSING' },
  { status: 403, purpose: 'media', message: /^forbidden$/i, kind: 'rejected', code: 'PERMISSION_MISSING' },
  { message: /body must be a json object/i, kind: 'rejected', code: 'INTERNAL' },
  { message: /media ids? .*invalid|video longer than/i, kind: 'rejected', code: 'MEDIA_REJECTED' },
  { purpose: 'media', kind: 'rejected', code: 'MEDIA_REJECTED' },
  { kind: 'rejected', code: 'CONTENT_REJECTED' },
];

function matches(row: Row, errorResponse: ErrorResponse): boolean {
  return (
    (row.status === undefined || row.status === errorResponse.status) &&
    (row.purpose === undefined || row.purpose === errorResponse.purpose) &&
    (row.type === undefined || row.type === errorResponse.type) &&
    (row.message?.test(errorResponse.message) ?? true) &&
    (row.when?.(errorResponse) ?? true)
  );
}

/** Classifies an error response. `now` is epoch milliseconds. */
export function toPlatformError(
  response: HttpResponse,
  purpose: Purpose,
  what: string,
  now: number,
): PlatformError {
  const errorResponse = readErrorResponse(response, purpose);
  const row = TABLE.find(each => matches(each, errorResponse));
  const { kind, code, retries }: Row = row ?? { kind: 'rejected', code: 'INTERNAL' };
  return new PlatformError({
    kind,
    code,
    message: `${what}: ${errorResponse.message || `X answered ${response.status}`}`,
    retryAfterMs: kind === 'rate_limited' ? waitMs(response.headers, errorResponse, now) : undefined,
    retries,
    outcomeUnknown: kind === 'transient',
  });
}

/** True for a monthly or daily cap of the app; the rate limit headers then show a window that is not used up. */
function isCapped({ type, title }: ErrorResponse): boolean {
  return type === 'usage-capped' || title === 'UsageCapExceeded';
}

/** The same error comes with a number of the legacy format or in words only. */
const isForbidden = ({ status, codes, message }: ErrorResponse, known: readonly number[], words: RegExp) =>
  status === 403 && (codes.some(code => known.includes(code)) || words.test(message));

/** True for the account's own daily limit, which its posts from every other app use up too. */
function isAccountLimit(errorResponse: ErrorResponse): boolean {
  return isForbidden(errorResponse, [185, 344], /daily status update limit|daily limit for sending/i);
}

function isSpamFilter(errorResponse: ErrorResponse): boolean {
  return isForbidden(errorResponse, [226], /looks like it might be automated/i);
}

function isDuplicate(errorResponse: ErrorResponse): boolean {
  return isForbidden(errorResponse, [187], /duplicate content|status is a duplicate/i);
}

/** True for an account that is suspended (64) or temporarily locked (326). */
function isUnusableAccount(errorResponse: ErrorResponse): boolean {
  return isForbidden(errorResponse, [64, 326], /suspended|locked/i);
}

const WINDOWS = ['x-rate-limit', 'x-app-limit-24hour', 'x-user-limit-24hour'];
const MIN_WAIT = MINUTE;
const DEFAULT_WAIT = 15 * MINUTE;
/** X cuts the daily limit of an account into slices of half an hour and names no reset. */
const ACCOUNT_LIMIT_WAIT = 30 * MINUTE;
/** Less than a day, so that the retry is still within a destination's budget. */
const CAP_WAIT = 23 * HOUR;
const SPAM_FILTER_WAIT = 1 * HOUR;

/** Milliseconds until the last exhausted window resets. */
function waitMs(headers: HttpResponse['headers'], errorResponse: ErrorResponse, now: number): number {
  if (isCapped(errorResponse)) return CAP_WAIT;
  if (isAccountLimit(errorResponse)) return ACCOUNT_LIMIT_WAIT;
  if (isSpamFilter(errorResponse)) return SPAM_FILTER_WAIT;
  const waits = WINDOWS.filter(name => !(Number(headers[`${name}-remaining`] ?? 0) > 0))
    .map(name => Number(headers[`${name}-reset`]) * SECOND - now)
    .filter(wait => !Number.isNaN(wait));
  const retryAfter = Number(headers['retry-after']) * SECOND;
  if (waits.length > 0) return Math.max(MIN_WAIT, ...waits);
  return Number.isNaN(retryAfter) ? DEFAULT_WAIT : Math.max(MIN_WAIT, retryAfter);
}
