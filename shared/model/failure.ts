import * as v from 'valibot';

/**
 * Why a destination failed, in words a user can act on. One table: the code decides who must act and whether another
 * attempt can help.
 */
export const FAILURES = {
  TOKEN_EXPIRED: {
    category: 'token',
    retryable: false,
    remedy: 'Reconnect the account, then retry the post.',
  },
  PERMISSION_MISSING: {
    category: 'account',
    retryable: false,
    remedy: 'Grant the missing permission on the platform or reconnect the account, then retry the post.',
  },
  PLATFORM_RATE_LIMIT: {
    category: 'rate_limit',
    retryable: true,
    remedy: 'Nothing to do: the service tries again when the platform allows it.',
  },
  DAILY_CAP: {
    category: 'rate_limit',
    retryable: true,
    remedy: 'Nothing to do: the service publishes when the 24-hour window frees.',
  },
  QUOTA_EXHAUSTED: {
    category: 'quota',
    retryable: false,
    remedy: "The platform app's quota or credit is used up: the operator must raise it, then retry the post.",
  },
  MEDIA_REJECTED: {
    category: 'media',
    retryable: false,
    remedy: 'Replace the media by a file within the limits, then post again.',
  },
  CONTENT_REJECTED: {
    category: 'content',
    retryable: false,
    remedy: "Change the text or options to the platform's rules, then post again.",
  },
  DUPLICATE_REJECTED: {
    category: 'content',
    retryable: false,
    remedy: 'The platform holds the same text already: change it, then post again.',
  },
  PLATFORM_UNAVAILABLE: {
    category: 'platform',
    retryable: true,
    remedy: 'The platform did not answer for too long: retry the post later.',
  },
  DELIVERY_UNKNOWN: {
    category: 'platform',
    retryable: false,
    remedy: 'The post may be live: look at the account; where it is not, retry with even_if_live: true.',
  },
  INTERNAL: {
    category: 'internal',
    retryable: true,
    remedy: 'A fault of the service: retry the post, and report it with the post id if it stays.',
  },
} as const;

export type FailureCode = keyof typeof FAILURES;
export const FAILURE_CODES = [
  'TOKEN_EXPIRED',
  'PERMISSION_MISSING',
  'PLATFORM_RATE_LIMIT',
  'DAILY_CAP',
  'QUOTA_EXHAUSTED',
  'MEDIA_REJECTED',
  'CONTENT_REJECTED',
  'DUPLICATE_REJECTED',
  'PLATFORM_UNAVAILABLE',
  'DELIVERY_UNKNOWN',
  'INTERNAL',
] as const satisfies readonly FailureCode[];

export const FailureSchema = v.object({
  code: v.picklist(FAILURE_CODES),
  category: v.picklist([
    'token',
    'content',
    'media',
    'account',
    'rate_limit',
    'quota',
    'platform',
    'internal',
  ]),
  message: v.string(),
  remedy: v.string(),
  retryable: v.boolean(),
});
export type Failure = v.InferOutput<typeof FailureSchema>;

/** A failure as it is stored and shown; `message` carries the platform's own words where it gave some. */
export function failure(code: FailureCode, message: string): Failure {
  return { code, message: message.slice(0, 1000), ...FAILURES[code] };
}

/** True when the account itself is lost to us: its owner must reconnect it or give the permission back. */
export function meansLostAccount({ category, code }: Failure): boolean {
  return category === 'token' || code === 'PERMISSION_MISSING';
}
