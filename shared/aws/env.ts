/** Names of the environment variables that the stack gives its functions. `lib/` sets them, code reads them here. */
export const ENV = {
  table: 'TABLE_NAME',
  dispatchQueueUrl: 'DISPATCH_QUEUE_URL',
  eventsQueueUrl: 'EVENTS_QUEUE_URL',
  housekeepingQueueUrl: 'HOUSEKEEPING_QUEUE_URL',
  mediaQueueUrl: 'MEDIA_QUEUE_URL',
  /** Prefix of `…_X`, `…_BLUESKY`, …: one publish queue a platform. */
  publishQueueUrlPrefix: 'PUBLISH_QUEUE_URL_',
  scheduleGroup: 'SCHEDULE_GROUP',
  scheduleRoleArn: 'SCHEDULE_ROLE_ARN',
  /** Who writes captions: JSON, as `ProviderSchema` in shared/ai has it. */
  aiProvider: 'AI_PROVIDER',
  /** SSM path under which the service keeps its parameters. */
  parameterPrefix: 'PARAMETER_PREFIX',
  /** The platform that a publisher function serves. */
  platform: 'PLATFORM',
  /** Public base URL of the API (`https://…/v1`). */
  publicUrl: 'PUBLIC_URL',
  /** The bucket of media, and the root of the addresses under which it is served. */
  mediaBucket: 'MEDIA_BUCKET',
  mediaUrl: 'MEDIA_URL',
  /** Platforms whose posts are measured, joined by commas; `none` for none. */
  measured: 'MEASURED_PLATFORMS',
  upgradeUrl: 'UPGRADE_URL',
  /** Origins to which a connect may send its user back, joined by commas; `*` for any. */
  redirectAllowlist: 'REDIRECT_ALLOWLIST',
} as const;

/** Throws where the stack forgot to set a variable: a fault of the deployment, not of a request. */
export function env(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`The environment variable ${name} is not set`);
  return value;
}

export function publishQueueVariable(platform: string): string {
  return ENV.publishQueueUrlPrefix + platform.toUpperCase();
}

/** Metric of items that a sweep found overdue; an alarm watches it. The only custom one: each is billed by the month. */
export const OVERDUE_METRIC = 'Overdue';
export const OVERDUE_SERVICE = 'sweep';
