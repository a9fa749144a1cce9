import * as v from 'valibot';

/** Every reason why a destination can fail: who must act, what to do, and whether a retry can help. */
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
    remedy: 'Nothing to do: the service retries when the platform allows it.',
  },
  DAILY_CAP: {
    category: 'rate_limit',
    retryable: true,
    remedy: 'Nothing to do: the service publishes the post as soon as the 24-hour window allows.',
  },
  QUOTA_EXHAUSTED: {
    category: 'quota',
    retryable: false,
    remedy: "The platform app's quota or credit is used up. The operator must raise it; then retry the post.",
  },
  MEDIA_REJECTED: {
    category: 'media',
    retryable: false,
    remedy: 'Replace the media with a file within the limits, then post again.',
  },
  CONTENT_REJECTED: {
    category: 'content',
    retryable: false,
    remedy: "Change the text or options to meet the platform's rules, then post again.",
  },
  DUPLICATE_REJECTED: {
    category: 'content',
    retryable: false,
    remedy: 'The platform already has a post with this text. Change the text, then post again.',
  },
  PLATFORM_UNAVAILABLE: {
    category: 'platform',
    retryable: true,
    remedy: 'The platform was unavailable for too long. Retry the post later.',
  },
  DELIVERY_UNKNOWN: {
    category: 'platform',
    retryable: false,
    remedy:
      'The post may be live. Check the account; if the post is not there, retry with even_if_live: true.',
  },
  INTERNAL: {
    category: 'internal',
    retryable: true,
    remedy: 'The service failed. Retry the post; if it fails again, report it with the post ID.',
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

/** What happened, by code; `message` of a failure has the platform's own words. */
export const FAILURE_CAUSES: Readonly<Record<FailureCode, string>> = {
  TOKEN_EXPIRED: 'The platform no longer accepts the credentials of the account.',
  PERMISSION_MISSING: 'The account may not publish this, or has not granted the permission.',
  PLATFORM_RATE_LIMIT: 'The platform accepts no more requests of the account or the app for now.',
  DAILY_CAP: 'The account has reached its posts of 24 hours on the platform.',
  QUOTA_EXHAUSTED: "The quota or credit of the platform's app is used up.",
  MEDIA_REJECTED: 'The platform does not accept a file, or the file cannot be fetched.',
  CONTENT_REJECTED: 'The platform does not accept the text or an option.',
  DUPLICATE_REJECTED: 'The platform has a post with the same content.',
  PLATFORM_UNAVAILABLE:
    'The platform did not answer, or answered with an error of its own, until the retries were used up.',
  DELIVERY_UNKNOWN:
    'The response to the publishing request was lost, and the platform cannot be asked what became of it.',
  INTERNAL: 'The service failed or did not understand the platform.',
};

export const FailureSchema = v.pipe(
  v.object({
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
  }),
  v.title('Failure'),
);
export type Failure = v.InferOutput<typeof FailureSchema>;

/** Returns a failure as it is stored and shown. `message` holds the platform's own words where it gave some. */
export function failure(code: FailureCode, message: string): Failure {
  return { code, message: message.slice(0, 1000), ...FAILURES[code] };
}

/** True when the account can no longer be used: its owner must reconnect it or grant the permission again. */
export function isAccountLost({ category, code }: Failure): boolean {
  return category === 'token' || code === 'PERMISSION_MISSING';
}
