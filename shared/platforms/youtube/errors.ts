import { randomInt } from 'node:crypto';
import type { HttpResponse } from '../../net/http.ts';
import { DAY, HOUR, MINUTE } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import { readGoogleError, type GoogleError } from '../families/google/api-error.ts';
import { nextQuotaReset } from '../families/google/quota-reset.ts';
import { retryAfterMs } from '../kit/retry-after.ts';
import type { ErrorRow, Purpose } from './error-row.ts';
import { LIVE_ROWS } from './live-errors.ts';

const RATE_REASONS = ['rateLimitExceeded', 'userRateLimitExceeded', 'RATE_LIMIT_EXCEEDED'];
const NO_CHANNEL =
  'The Google account has no YouTube channel: create one on YouTube, then connect it and choose it on the page of Google';

const reset = (now: number) => nextQuotaReset(now) - now + randomInt(1, 11) * MINUTE;
/** A limit of 24 hours. A whole day after the first attempt, there is no further one. */
const DAY_LIMIT_WAIT_MS = 23 * HOUR;
/** A burst ends soon: the usual backoff begins with a minute and doubles. */
const BURST = { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT' } as const;
const constant = (ms: number) => () => ms;

/**
 * The first matching row decides.
 *
 * @see https://developers.google.com/youtube/v3/docs/errors
 */
const TABLE: readonly ErrorRow[] = [
  { when: ({ status }) => status >= 500 || status === 408, kind: 'transient', code: 'PLATFORM_UNAVAILABLE' },
  { reasons: ['youtubeSignupRequired'], kind: 'rejected', code: 'PERMISSION_MISSING', remedy: NO_CHANNEL },
  { status: 401, kind: 'token_expired', code: 'TOKEN_EXPIRED' },
  {
    reasons: ['insufficientPermissions', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT', 'insufficientLivePermissions'],
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    remedy: 'Reconnect the account and tick every box on the page of Google',
  },
  ...LIVE_ROWS,
  {
    reasons: ['quotaExceeded', 'dailyLimitExceeded'],
    kind: 'rate_limited',
    code: 'QUOTA_EXHAUSTED',
    wait: reset,
  },
  { reasons: RATE_REASONS, when: isPerDay, kind: 'rate_limited', code: 'QUOTA_EXHAUSTED', wait: reset },
  {
    // A daily limit of the channel on new playlists, although the quota is not used up.
    status: 429,
    purpose: 'playlist',
    kind: 'rate_limited',
    code: 'PLATFORM_RATE_LIMIT',
    wait: constant(DAY),
  },
  { reasons: RATE_REASONS, ...BURST },
  {
    reasons: ['uploadLimitExceeded'],
    kind: 'rate_limited',
    code: 'PLATFORM_RATE_LIMIT',
    wait: constant(6 * HOUR),
    remedy: 'The channel has reached its daily number of uploads, which verifying its phone number raises',
  },
  {
    reasons: ['uploadRateLimitExceeded'],
    kind: 'rate_limited',
    code: 'PLATFORM_RATE_LIMIT',
    wait: constant(DAY_LIMIT_WAIT_MS),
  },
  { status: 429, ...BURST },
  {
    reasons: ['accessNotConfigured', 'SERVICE_DISABLED'],
    kind: 'rejected',
    code: 'INTERNAL',
    remedy:
      'Enable the API for the Cloud project of the app at https://console.cloud.google.com/apis/library',
  },
  {
    reasons: [
      'authenticatedUserAccountClosed',
      'authenticatedUserAccountSuspended',
      'channelClosed',
      'channelSuspended',
    ],
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    remedy: 'The account or its channel is closed or suspended: connect another channel',
  },
  {
    status: 403,
    purpose: 'thumbnail',
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    remedy: 'Thumbnails need a channel with a verified phone number: https://www.youtube.com/verify',
  },
  {
    status: 403,
    purpose: 'comment',
    kind: 'rejected',
    code: 'CONTENT_REJECTED',
    remedy: 'The channel or the video does not allow comments',
  },
  {
    reasons: ['playlistNotFound'],
    kind: 'rejected',
    code: 'CONTENT_REJECTED',
    remedy: 'Check youtube_playlist_id',
  },
  {
    reasons: ['playlistContainsMaximumNumberOfVideos'],
    kind: 'rejected',
    code: 'CONTENT_REJECTED',
    remedy: 'The playlist has 5000 videos, which is the maximum: choose another one',
  },
  {
    reasons: ['playlistItemsNotAccessible', 'playlistOperationUnsupported'],
    kind: 'rejected',
    code: 'CONTENT_REJECTED',
    remedy: 'Choose a playlist that belongs to the channel',
  },
  { status: 409, kind: 'transient', code: 'PLATFORM_UNAVAILABLE' },
  { reasons: ['processingFailure'], kind: 'transient', code: 'PLATFORM_UNAVAILABLE' },
  {
    reasons: [
      'unexpectedPart',
      'unknownPart',
      'missingRequiredParameter',
      'required',
      'incompatibleParameters',
      'unexpectedParameter',
    ],
    kind: 'rejected',
    code: 'INTERNAL',
  },
  {
    reasons: [
      'mediaBodyRequired',
      'invalidFilename',
      'invalidImage',
      'imageFormatUnsupported',
      'imageTooTall',
      'imageTooWide',
      'contentRequired',
    ],
    kind: 'rejected',
    code: 'MEDIA_REJECTED',
  },
  {
    // The upload servers answer a malformed request in plain text.
    status: 400,
    purpose: 'upload',
    when: ({ reasons }) => reasons.length === 0,
    kind: 'rejected',
    code: 'INTERNAL',
  },
  { status: 411, kind: 'rejected', code: 'INTERNAL' },
  { kind: 'rejected', code: 'CONTENT_REJECTED' },
];

/** An error response of YouTube with its reasons, which few callers need. */
export class YoutubeError extends PlatformError {
  readonly status: number;
  readonly reasons: readonly string[];
  readonly location: string;
  constructor(init: ConstructorParameters<typeof PlatformError>[0], error: GoogleError) {
    super(init);
    this.status = error.status;
    this.reasons = error.reasons;
    this.location = `${error.location} ${error.message}`;
  }

  has(reason: string): boolean {
    return this.reasons.includes(reason);
  }
}

/** What is known about a refused call. */
export interface Refused {
  what: string;
  purpose: Purpose;
  /** True while the video is new: YouTube may not find it yet. */
  young?: boolean;
}

/** Classifies an error response. `now` is epoch milliseconds. */
export function toYoutubeError(
  response: HttpResponse,
  { what, purpose, young = false }: Refused,
  now: number,
): YoutubeError {
  const error = readGoogleError(response);
  const isEarly =
    young && (error.reasons.includes('videoNotFound') || error.reasons.includes('failedPrecondition'));
  const row = isEarly ? NOT_YET : (TABLE.find(each => matches(each, error, purpose)) ?? UNKNOWN);
  const words = error.message || `YouTube answered ${response.status}`;
  return new YoutubeError(
    {
      kind: row.kind,
      code: row.code,
      message: `${what}: ${words}${row.remedy === undefined ? '' : `. ${row.remedy}`}`,
      retryAfterMs: retryAfterMs(response) ?? row.wait?.(now),
      outcomeUnknown: row.kind === 'transient' && row !== NOT_YET,
    },
    error,
  );
}

const NOT_YET: ErrorRow = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE' };
const UNKNOWN: ErrorRow = { kind: 'rejected', code: 'INTERNAL' };

function matches(row: ErrorRow, error: GoogleError, purpose: Purpose): boolean {
  return (
    (row.status === undefined || row.status === error.status) &&
    (row.purpose === undefined || row.purpose === purpose) &&
    (row.reasons === undefined || row.reasons.some(reason => error.reasons.includes(reason))) &&
    (row.when?.(error) ?? true)
  );
}

/** True for an exhausted day: Google uses the same reason for bursts. */
function isPerDay({ message, quota_unit }: GoogleError): boolean {
  return /per day/i.test(message) || quota_unit.startsWith('1/d');
}

/** True for the bucket in which Google counts uploads, which is exhausted independently of the other one. */
export const isUploadBucket = ({ location }: YoutubeError): boolean => /video uploads/i.test(location);
