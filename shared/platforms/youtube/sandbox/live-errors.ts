import { refuse, type Status } from './errors.ts';
import type { Channel } from './state.ts';

const HELP = 'https://developers.google.com/youtube/v3/live/docs/liveBroadcasts/transition';

/** Refusals of the Live Streaming API: status and message by reason. */
const REFUSALS = {
  liveStreamingNotEnabled: [403, 'The user is not enabled for live streaming.'],
  userRequestsExceedRateLimit: [403, 'User requests exceed the rate limit.'],
  titleRequired: [400, 'Title is required'],
  scheduledStartTimeRequired: [400, 'Scheduled start time is required'],
  privacyStatusRequired: [400, 'Privacy status is required'],
  invalidTitle: [400, 'Title is invalid'],
  invalidDescription: [400, 'Description is invalid'],
  invalidScheduledStartTime: [
    400,
    'Scheduled start time must be in the future and close enough to the current date',
  ],
  invalidPrivacyStatus: [400, 'Privacy status is invalid'],
  invalidAutoStart: [400, 'Auto start is not available for the broadcast'],
  cdnRequired: [400, 'CDN settings are required'],
  ingestionTypeRequired: [400, 'Ingestion type is required'],
  resolutionRequired: [400, 'Resolution is required'],
  frameRateRequired: [400, 'Frame rate is required'],
  invalidIngestionType: [400, 'Ingestion type is invalid'],
  invalidResolution: [400, 'Resolution is invalid'],
  invalidFrameRate: [400, 'Frame rate is invalid'],
  liveBroadcastNotFound: [404, 'Broadcast not found'],
  liveStreamNotFound: [404, 'Stream not found'],
  liveBroadcastBindingNotAllowed: [403, 'Binding is not allowed'],
  liveBroadcastDeletionNotAllowed: [403, 'Broadcast deletion is not allowed'],
  liveStreamDeletionNotAllowed: [403, 'Stream deletion is not allowed'],
  errorStreamInactive: [403, 'Stream is inactive'],
  invalidTransition: [403, 'Invalid transition'],
  redundantTransition: [403, 'Redundant transition'],
} as const satisfies Record<string, readonly [Status, string]>;

const OF_STREAMS = /^liveStream(?!ing)|cdn|ingestion|resolution|frameRate/i;

/** Ends a request with a refusal of the Live Streaming API. */
export function refuseLive(reason: keyof typeof REFUSALS): never {
  const [status, message] = REFUSALS[reason];
  const isTransition = reason === 'errorStreamInactive' || reason.endsWith('Transition');
  const domain = OF_STREAMS.test(reason) ? 'youtube.liveStream' : 'youtube.liveBroadcast';
  return refuse(status, reason, message, { domain, ...(isTransition ? { extendedHelp: HELP } : {}) });
}

/** The channel may stream live, or the request ends. */
export function requireLive({ switches }: Channel): void {
  if (!switches.live) refuseLive('liveStreamingNotEnabled');
}
