import { HOUR } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { ErrorRow } from '../families/meta/error-row.ts';
import { isGraphError, toGraphFailure } from '../families/meta/errors.ts';
import { UPLOAD_ERRORS } from '../families/meta/rupload.ts';

/** Instagram names no time at which its publishing limit frees a place. */
export const QUOTA_WAIT_MS = HOUR;
/** Less than a day, so that the one retry is within a destination's budget. */
export const BLOCKED_MS = 23 * HOUR;

const REJECTED = { kind: 'rejected', failure: 'CONTENT_REJECTED' } as const;
const MEDIA = { kind: 'rejected', failure: 'MEDIA_REJECTED' } as const;
const DENIED = { kind: 'rejected', failure: 'PERMISSION_MISSING' } as const;
const RECONNECT = { kind: 'token_expired', failure: 'TOKEN_EXPIRED' } as const;
const AGAIN = { kind: 'transient', failure: 'PLATFORM_UNAVAILABLE' } as const;
const OUR_FAULT = { kind: 'rejected', failure: 'INTERNAL' } as const;

/**
 * Errors of the Instagram API. Subcodes also appear alone in the status of a container, so rows with a unique subcode
 * do not name the code.
 *
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes
 */
export const INSTAGRAM_ERRORS: readonly ErrorRow[] = [
  ...UPLOAD_ERRORS,
  // Servers of Instagram and containers: nothing is visible yet, so everything but publishing can be repeated.
  { either: [-1, 2207001, 2207032, 2207053], purpose: 'commit', ...AGAIN, outcomeUnknown: true },
  { subcode: [2207001, 2207032, 2207053, 2207082, 2207076, 2207077], ...AGAIN },
  { subcode: [2207003, 2207052], ...AGAIN },
  { subcode: [2207006, 2207008, 2207020, 2207027, 4279009], ...AGAIN },
  { code: [24, 9007], ...AGAIN },
  { code: 9004, ...AGAIN },
  {
    subcode: 2207051,
    kind: 'rate_limited',
    failure: 'PLATFORM_RATE_LIMIT',
    waitMs: BLOCKED_MS,
    advice: 'Instagram takes the activity of the account for spam: publish less often and check the account.',
  },
  {
    subcode: 2207042,
    kind: 'rate_limited',
    failure: 'PLATFORM_RATE_LIMIT',
    waitMs: QUOTA_WAIT_MS,
  },
  {
    subcode: 2207050,
    ...DENIED,
    keepsAccount: true,
    advice: 'The account is restricted or inactive: open the Instagram app and do what it asks for.',
  },
  { message: /not an Instagram Business/i, ...RECONNECT, advice: 'Switch to a professional account.' },
  { message: /session has been invalidated|REVOKED_ACCESS_TOKEN/i, ...RECONNECT },

  // Media.
  { subcode: 2207057, ...REJECTED, advice: 'Choose a thumbnail offset within the video.' },
  { subcode: [2207023, 2207028, 2207089], ...OUR_FAULT },
  { subcode: [2207026, 2207085], ...MEDIA, advice: 'Use MP4 or MOV with H.264 or HEVC video and AAC audio.' },
  { subcode: 2207004, ...MEDIA, advice: 'Use an image of at most 8 MB.' },
  { subcode: 2207005, ...MEDIA, advice: 'Use a JPG or PNG image.' },
  { subcode: 2207009, ...MEDIA, advice: 'Use an aspect ratio between 4:5 and 1.91:1.' },
  { code: [36000, 36001, 36003, 352], ...MEDIA },

  // Text and tags.
  {
    subcode: 2207010,
    ...REJECTED,
    advice: 'Use at most 2,200 characters, 30 hashtags and 20 mentions.',
  },
  { code: 36004, ...REJECTED },
  { subcode: 2207040, ...REJECTED, advice: 'Tag at most 20 users.' },
  { subcode: [2207035, 2207036, 2207037, 2207073, 2207081], ...REJECTED },
  { message: /collaborators is not allowed/i, ...OUR_FAULT },
  {
    message: /INVALID_LOCATION_ID/,
    ...REJECTED,
    advice: 'instagram_location_id must be the id of a Facebook Page with a location.',
  },
  {
    code: 110,
    ...REJECTED,
    advice:
      'Check the usernames in instagram_user_tags and instagram_collaborators: each must be a public account.',
  },
  { code: [20], subcode: 1772107, ...OUR_FAULT },
];

/** True where the object is not known, or not visible to the token: another token of the same account may see it. */
export const isHidden = (error: unknown): boolean => isGraphError(error, 100, 33);

/** True where Instagram has no such container, or no longer. */
export function isContainerGone(error: unknown): boolean {
  return isGraphError(error, 24) || isGraphError(error, -2, 2207020);
}

export const isNotReady = (error: unknown): boolean => isGraphError(error, 9007);

/** Returns the failure that the status of a container reports. Its text holds the subcode alone or in a sentence. */
export function containerFailure(status: string, what: string): PlatformError {
  const subcode = Number(/2207\d{3}/.exec(status)?.[0] ?? 0);
  if (subcode === 0) {
    return new PlatformError({ kind: 'rejected', code: 'MEDIA_REJECTED', message: `${what}: ${status}` });
  }
  const body = Buffer.from(JSON.stringify({ error: { message: status, error_subcode: subcode } }));
  const context = { platform: 'Instagram', rows: INSTAGRAM_ERRORS, purpose: 'prepare', token: '' } as const;
  return toGraphFailure({ status: 400, headers: {}, body }, { ...context, what });
}
