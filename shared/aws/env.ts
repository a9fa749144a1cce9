/** Names of the environment variables of the functions: `lib/` sets them, code reads them through these names. */
export const ENV = {
  table: 'TABLE_NAME',
  broadcastQueueUrl: 'BROADCAST_QUEUE_URL',
  /** Id of the event source mapping of that queue. */
  broadcastMapping: 'BROADCAST_MAPPING',
  dispatchQueueUrl: 'DISPATCH_QUEUE_URL',
  eventsQueueUrl: 'EVENTS_QUEUE_URL',
  deadLetterQueueUrl: 'DEAD_LETTER_QUEUE_URL',
  /** Names of the functions that do background work. */
  housekeeper: 'HOUSEKEEPER',
  mediaImporter: 'MEDIA_IMPORTER',
  /** Platforms that this deployment leaves out, joined by commas; `none` for none. */
  disabledPlatforms: 'DISABLED_PLATFORMS',
  /** Prefix of `…_X`, `…_BLUESKY`, …: each platform has its own publish queue. */
  publishQueueUrlPrefix: 'PUBLISH_QUEUE_URL_',
  scheduleGroup: 'SCHEDULE_GROUP',
  scheduleRoleArn: 'SCHEDULE_ROLE_ARN',
  /** AI provider that writes captions: JSON, described by `ProviderSchema` in shared/ai. */
  aiProvider: 'AI_PROVIDER',
  /** What starts the workers of live broadcasts: JSON, described by `WorkerSettingsSchema` in shared/broadcasts. */
  liveWorker: 'LIVE_WORKER',
  /** Size of the streams of live broadcasts: a name of `STREAM_SIZES` in workers/broadcaster. */
  broadcastSize: 'BROADCAST_SIZE',
  /** Number of the user that decoders of live broadcasts run as; not set: that of the worker. */
  decoderUserId: 'DECODER_USER_ID',
  /** Whether the deployment streams playlists: `true` or `false`. */
  liveEnabled: 'LIVE_ENABLED',
  /** Path prefix of the service's SSM parameters. */
  parameterPrefix: 'PARAMETER_PREFIX',
  /** SSM parameters that a container reads together when it starts, joined by commas. */
  initialParameters: 'INITIAL_PARAMETERS',
  /** The platform that a publisher function serves. */
  platform: 'PLATFORM',
  /** Public base URL of the API (`https://…/v1`). */
  publicUrl: 'PUBLIC_URL',
  /** The media bucket, and the base URL under which its objects are served. */
  mediaBucket: 'MEDIA_BUCKET',
  mediaUrl: 'MEDIA_URL',
  /** Platforms whose metrics are read, joined by commas; `none` for none. */
  measured: 'MEASURED_PLATFORMS',
  upgradeUrl: 'UPGRADE_URL',
  /** Origins that `redirect_url` of a connect may have, joined by commas; `*` for any. */
  redirectAllowlist: 'REDIRECT_ALLOWLIST',
} as const;

/** Returns the value of an environment variable. Throws when it is not set: the deployment is misconfigured. */
export function env(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`The environment variable ${name} is not set`);
  return value;
}

export function publishQueueVariable(platform: string): string {
  return ENV.publishQueueUrlPrefix + platform.toUpperCase();
}

/** Returns the variable with the id of the event source mapping of a publish queue. */
export function publishMappingVariable(platform: string): string {
  return `PUBLISH_MAPPING_${platform.toUpperCase()}`;
}

/**
 * CloudWatch metrics by their dimension `service`. They are written only when something happens: a metric is billed for the
 * hours in which it has data. An account has ten without charge.
 */
export const METRICS = {
  /** What a sweep found: items that should have moved, and dead letters. */
  sweep: { overdue: 'Overdue', dead_letters: 'DeadLetters' },
  /** Attempts by their end, and the time from when a post was due until it was live. */
  publishing: { published: 'Published', failed: 'Failed', retried: 'Retried', late_s: 'Lateness' },
  webhooks: { delivered: 'Delivered', undelivered: 'NotDelivered' },
} as const;
