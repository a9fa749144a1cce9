import { randomInt } from 'node:crypto';
import type { FailureCode } from '../../model/failure.ts';
import type { HttpResponse } from '../../net/http.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';
import { PlatformError, type PlatformErrorInit, type PlatformErrorKind } from '../contract/error.ts';
import { nextQuotaReset } from '../families/google/quota-reset.ts';
import { retryAfterMs } from '../kit/retry-after.ts';
import { readBusinessError, wordsOf, type BusinessError } from './error-body.ts';

/** The kind of call that was refused: a refusal without details means different things. */
export type Purpose = 'read' | 'post' | 'photo_post' | 'gallery';

interface Row {
  status?: number;
  rpc_status?: string;
  reasons?: readonly string[];
  purpose?: Purpose;
  when?: (error: BusinessError) => boolean;
  kind: PlatformErrorKind;
  code: FailureCode;
  /** How long to wait, where Google does not say. Milliseconds. */
  wait?: (now: number) => number;
  retries?: number;
  /** Reconnecting the account would change nothing. */
  keeps_account?: true;
  /** What the user or operator can do. */
  remedy?: string;
}

const UNAVAILABLE = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE' } as const;
const MEDIA = { kind: 'rejected', code: 'MEDIA_REJECTED' } as const;
const CONTENT = { kind: 'rejected', code: 'CONTENT_REJECTED' } as const;
const OUR_FAULT = { kind: 'rejected', code: 'INTERNAL' } as const;

/** `errorDetails` codes. */
const TOO_LARGE = 10;
const FETCH_FAILED = 1000;

const jittered = (ms: number) => () => ms + randomInt(1, 20) * SECOND;
const reset = (now: number) => nextQuotaReset(now) - now + randomInt(1, 11) * MINUTE;

const has = (code: number, words: RegExp) => (error: BusinessError) =>
  error.problems.some(problem => problem.code === code || words.test(problem.message));
const hasNoDetails = ({ problems }: BusinessError) => problems.length === 0;
const isMedia = ({ problems }: BusinessError) =>
  problems.some(({ field, message }) => /^media\b/.test(field) || /\b(?:image|photo|video)\b/i.test(message));
const isPerDay = ({ message, quota_unit }: BusinessError) =>
  /per day/i.test(message) || quota_unit.startsWith('1/d');

/**
 * The first matching row decides.
 *
 * @see https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts
 */
const TABLE: readonly Row[] = [
  { when: ({ status }) => status >= 500 || status === 408, ...UNAVAILABLE },
  { status: 401, kind: 'token_expired', code: 'TOKEN_EXPIRED' },
  {
    reasons: ['ACCESS_TOKEN_SCOPE_INSUFFICIENT', 'insufficientPermissions'],
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    remedy: 'Reconnect the account and tick every box on the page of Google',
  },
  {
    reasons: ['SERVICE_DISABLED', 'accessNotConfigured'],
    ...OUR_FAULT,
    remedy:
      'Enable the Business Profile APIs for the Cloud project of the app at https://console.cloud.google.com/apis/library',
  },
  {
    status: 403,
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    // The other locations of the account stay usable.
    keeps_account: true,
    remedy:
      'The account has lost its access to the location, or Google has suspended it: check it at https://business.google.com/locations',
  },
  {
    status: 429,
    when: ({ quota_limit }) => quota_limit === '0',
    kind: 'rejected',
    code: 'QUOTA_EXHAUSTED',
    remedy:
      "Google has not approved the app's Cloud project for the Business Profile APIs: its quota is 0 requests per minute. Apply for Basic API Access at https://developers.google.com/my-business/content/prereqs",
  },
  { status: 429, when: isPerDay, kind: 'rate_limited', code: 'QUOTA_EXHAUSTED', wait: reset },
  // A limit of one minute: the usual backoff begins with one and doubles.
  { status: 429, kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT' },
  {
    status: 404,
    rpc_status: 'NOT_FOUND',
    ...CONTENT,
    remedy: 'It was deleted, or the account no longer manages it',
  },
  // A page in place of JSON: Google does not know the path.
  { status: 404, ...OUR_FAULT },
  { status: 409, ...UNAVAILABLE },
  {
    when: has(FETCH_FAILED, /fetching (?:image|media|video) failed/i),
    kind: 'transient',
    code: 'MEDIA_REJECTED',
    wait: jittered(MINUTE),
    retries: 2,
    remedy: 'Google could not fetch the file from the media URL',
  },
  { when: has(TOO_LARGE, /bytes too large/i), ...MEDIA },
  { status: 400, when: isMedia, ...MEDIA },
  {
    status: 400,
    rpc_status: 'FAILED_PRECONDITION',
    ...CONTENT,
    remedy:
      'The location is not verified or not eligible for posts: check it at https://business.google.com/locations',
  },
  {
    status: 400,
    purpose: 'photo_post',
    when: hasNoDetails,
    ...MEDIA,
    remedy:
      'Google probably did not accept the image: it accepts JPG and PNG of 10 KB to 5 MB and at least 250 x 250 pixels',
  },
  {
    // A second video right after the first is refused like this, too.
    status: 400,
    purpose: 'gallery',
    when: hasNoDetails,
    kind: 'transient',
    code: 'MEDIA_REJECTED',
    wait: jittered(5 * MINUTE),
    retries: 1,
    remedy: 'Google probably did not accept the video: it accepts MP4 of at most 30 seconds and 25 MB',
  },
  { status: 400, purpose: 'read', ...OUR_FAULT },
  { status: 400, ...CONTENT },
];

const UNKNOWN: Row = OUR_FAULT;

/** An error response of a Business Profile API, classified. */
export class GbpError extends PlatformError {
  readonly status: number;
  readonly rpc_status: string;
  constructor(init: PlatformErrorInit, { status, rpc_status }: BusinessError) {
    super(init);
    this.status = status;
    this.rpc_status = rpc_status;
  }
}

/** Classifies an error response. `what` names the request in the message; `now` is epoch milliseconds. */
export function toGbpError(
  response: HttpResponse,
  { what, purpose }: { what: string; purpose: Purpose },
  now: number,
): GbpError {
  const error = readBusinessError(response);
  const row = TABLE.find(each => matches(each, error, purpose)) ?? UNKNOWN;
  const words = (wordsOf(error) || `Google answered ${response.status}`).replace(/\.$/, '');
  return new GbpError(
    {
      kind: row.kind,
      code: row.code,
      message: `${what}: ${words}${row.remedy === undefined ? '' : `. ${row.remedy}`}`,
      retryAfterMs: retryAfterMs(response) ?? row.wait?.(now),
      retries: row.retries,
      keepsAccount: row.keeps_account,
      outcomeUnknown: response.status >= 500 || response.status === 408,
    },
    error,
  );
}

function matches(row: Row, error: BusinessError, purpose: Purpose): boolean {
  return (
    (row.status === undefined || row.status === error.status) &&
    (row.rpc_status === undefined || row.rpc_status === error.rpc_status) &&
    (row.purpose === undefined || row.purpose === purpose) &&
    (row.reasons === undefined || row.reasons.some(reason => error.reasons.includes(reason))) &&
    (row.when?.(error) ?? true)
  );
}

/** True for a resource that does not exist (any more). */
export const isMissing = (error: unknown) => error instanceof GbpError && error.rpc_status === 'NOT_FOUND';

/** True where the account may not see a resource. */
export const isDenied = (error: unknown) =>
  error instanceof GbpError && error.status === 403 && error.keepsAccount;
