import { DAY, MINUTE } from '../../time/instant.ts';
import type { ErrorRow } from './error-row.ts';

/** What the Live Streaming API refuses. @see https://developers.google.com/youtube/v3/live/docs/errors */
export const LIVE_ROWS: readonly ErrorRow[] = [
  {
    reasons: ['liveStreamingNotEnabled', 'livePermissionBlocked'],
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    remedy:
      'Enable live streaming for the channel at https://www.youtube.com/features, which takes up to 24 hours the first time',
  },
  {
    // A throttle of the channel on new broadcasts, far below the quota. Repetitions prolong it.
    reasons: ['userRequestsExceedRateLimit'],
    kind: 'rate_limited',
    code: 'PLATFORM_RATE_LIMIT',
    wait: () => 15 * MINUTE,
  },
  {
    reasons: [
      'userBroadcastsExceedLimit',
      'concurrentBroadcastsExceedLimit',
      'sharedIngestionBroadcastsExceedLimit',
    ],
    kind: 'rate_limited',
    code: 'PLATFORM_RATE_LIMIT',
    wait: () => DAY,
    remedy: 'The channel has reached its limit of live broadcasts: end or delete others',
  },
  { reasons: ['errorStreamInactive'], kind: 'transient', code: 'PLATFORM_UNAVAILABLE' },
];
