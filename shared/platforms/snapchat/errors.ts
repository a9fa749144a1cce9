import type { FailureCode } from '../../model/failure.ts';
import type { HttpResponse } from '../../net/http.ts';
import { PlatformError, type PlatformErrorInit, type PlatformErrorKind } from '../contract/error.ts';
import { retryAfterMs } from '../kit/retry-after.ts';
import { SECOND } from '../../time/instant.ts';
import type { ErrorResponse } from './envelope.ts';

/** An error response, classified. `response` lets publishers recognise single errors. */
export class SnapchatError extends PlatformError {
  readonly response: ErrorResponse;
  constructor(init: PlatformErrorInit, response: ErrorResponse) {
    super(init);
    this.response = response;
  }
}

interface Row {
  status?: number;
  code?: string;
  message?: RegExp;
  when?: (response: ErrorResponse) => boolean;
  kind: PlatformErrorKind;
  failure: FailureCode;
  /** What the user can do. */
  advice?: string;
  /** True where the request may have had an effect. */
  outcomeUnknown?: true;
  /** True where connecting the account again would change nothing. */
  keepsAccount?: true;
}

const UNAVAILABLE = { kind: 'transient', failure: 'PLATFORM_UNAVAILABLE' } as const;
const MEDIA = { kind: 'rejected', failure: 'MEDIA_REJECTED' } as const;
const NO_ACCESS = {
  kind: 'rejected',
  failure: 'PERMISSION_MISSING',
  keepsAccount: true,
  advice:
    'Snap must have put the app on its allowlist for the Public Profile API, and the account needs a role on the public profile.',
} as const;

const MEDIA_FAULT =
  /media size|\bfile size|duration|resolution|dimension|codec|aspect|decrypt|transcod|corrupt|media (?:file|format|type)/i;

const FAILED_PROCESSING =
  /process\w* (?:has )?(?:failed|error)|(?:failed|unable) to (?:be )?process|(?:can|could) ?not (?:be )?process/i;

/** The first matching row decides. The codes of media come with any status. */
const TABLE: readonly Row[] = [
  { when: isProcessing, ...UNAVAILABLE },
  { code: 'MEDIA_EXPIRED', ...UNAVAILABLE },
  { code: 'MEDIA_POSTING_ALREADY_IN_PROGRESS', ...UNAVAILABLE },
  // Other codes are undocumented: they do not say that nothing was posted.
  { when: isOutage, ...UNAVAILABLE, outcomeUnknown: true },
  { status: 401, kind: 'token_expired', failure: 'TOKEN_EXPIRED' },
  { status: 429, kind: 'rate_limited', failure: 'PLATFORM_RATE_LIMIT' },
  { status: 403, ...NO_ACCESS },
  { code: 'AUTHORIZATION_PERMISSION_DENIED', ...NO_ACCESS },
  {
    status: 404,
    kind: 'rejected',
    failure: 'PERMISSION_MISSING',
    // The other public profiles of the account stay usable.
    keepsAccount: true,
    advice:
      'Snapchat does not find the public profile: create one in the Snapchat app, or check that it still exists, then connect again.',
  },
  { status: 413, ...MEDIA },
  { message: /media/i, when: saysThatProcessingFailed, ...MEDIA },
  { message: MEDIA_FAULT, ...MEDIA },
];
const OTHERS: Row = { kind: 'rejected', failure: 'CONTENT_REJECTED' };

/** Statuses that say something else, whatever the text. */
const OTHER_STATUSES = [401, 403, 404, 429];

/** The code comes with any HTTP status; some answers have a mere text. */
function isProcessing({ status, code, message }: ErrorResponse): boolean {
  if (code !== '') return code === 'MEDIA_PROCESSING';
  if (status >= 500 || OTHER_STATUSES.includes(status)) return false;
  return /media/i.test(message) && /process/i.test(message) && !FAILED_PROCESSING.test(message);
}

function saysThatProcessingFailed({ message }: ErrorResponse): boolean {
  return FAILED_PROCESSING.test(message);
}

function isOutage({ status }: ErrorResponse): boolean {
  return status >= 500 || status === 408;
}

function matches(row: Row, response: ErrorResponse): boolean {
  return (
    (row.status === undefined || row.status === response.status) &&
    (row.code === undefined || row.code === response.code) &&
    (row.message?.test(response.message) ?? true) &&
    (row.when?.(response) ?? true)
  );
}

/** Snapchat's limits are per second, and it does not say how long they last. As many delays as limits count failures. */
const BACKOFF_MS = [5, 10, 20, 40, 80, 160, 600].map(seconds => seconds * SECOND);

/** Classifies an error response. `what` names the call in the message. */
export function toPlatformError(http: HttpResponse, response: ErrorResponse, what: string): SnapchatError {
  const {
    kind,
    failure,
    advice,
    keepsAccount,
    outcomeUnknown = false,
  } = TABLE.find(row => matches(row, response)) ?? OTHERS;
  return new SnapchatError(
    {
      kind,
      code: failure,
      message: messageOf(response, what, advice),
      ...(kind === 'rate_limited' ? { retryAfterMs: retryAfterMs(http), backoffMs: BACKOFF_MS } : {}),
      keepsAccount,
      outcomeUnknown,
    },
    response,
  );
}

function messageOf(
  { status, code, message, requestId }: ErrorResponse,
  what: string,
  advice?: string,
): string {
  const words = [code, message.trim().replace(/\.$/, '')].filter(Boolean).join(': ');
  const request = requestId === '' ? '' : ` (request ${requestId})`;
  const sentence = `${what}: ${words || `Snapchat answered ${status}`}${request}`;
  return advice === undefined ? sentence : `${sentence}. ${advice}`;
}

const isSnapchat = (error: unknown): error is SnapchatError => error instanceof SnapchatError;

/** True while Snapchat processes the media: nothing was posted. */
export const isStillProcessing = (error: unknown) => isSnapchat(error) && isProcessing(error.response);

/** True where the media can no longer be posted: nothing was posted. */
export const isMediaExpired = (error: unknown) =>
  isSnapchat(error) && error.response.code === 'MEDIA_EXPIRED';

/** True where an earlier request is creating the post from the same media. */
export const isAlreadyPosting = (error: unknown) =>
  isSnapchat(error) && error.response.code === 'MEDIA_POSTING_ALREADY_IN_PROGRESS';

/** True where Snapchat does not know what was asked for. It says so in several ways. */
export const isMissing = (error: unknown) =>
  isSnapchat(error) && (error.response.status === 404 || error.code === 'CONTENT_REJECTED');
