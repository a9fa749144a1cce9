/** A group of slow test files. */
export interface Suite {
  /** What it shows, for `npm test -- --help`. */
  summary: string;
  /** Test files or folders, relative to the root of the project; `*` stands for any name. */
  paths: readonly string[];
}

/**
 * The slow suites by name. `npm test` runs them with all others, `npm test -- --fast` leaves them out, and
 * `npm test -- --suite <name>` runs one of them.
 */
export const SLOW_SUITES = {
  e2e: {
    summary: 'the whole local stack: requests, platforms, webhooks, restarts, races, fuzzing',
    paths: ['test/e2e/', 'local/stack.test.ts'],
  },
  broadcaster: {
    summary: 'the stream worker of live broadcasts, sending to a real RTMP server',
    paths: [
      'workers/broadcaster/broadcast.test.ts',
      'workers/broadcaster/copied-broadcast.test.ts',
      'workers/broadcaster/playlist/decoder-process.test.ts',
      'workers/broadcaster/playlist/survey.test.ts',
      'workers/broadcaster/session/run.test.ts',
    ],
  },
  campaigns: {
    summary: 'posts and webhook deliveries while faults are injected',
    paths: ['test/faults/campaign.test.ts', 'test/campaigns/'],
  },
  crash: {
    summary: 'workers that die at every call, and concurrent requests on one table',
    paths: [
      'functions/broadcasts/routes.test.ts',
      'functions/crash.test.ts',
      'functions/housekeeper/work.test.ts',
      'functions/insights/crash.test.ts',
      'functions/webhook-dispatcher/crash.test.ts',
      'functions/webhook-dispatcher/work.test.ts',
      'functions/posts/lifecycle.test.ts',
      'functions/posts/delete.test.ts',
      'shared/broadcasts/control.test.ts',
      'shared/broadcasts/crash.test.ts',
      'shared/delivery/batch.test.ts',
      'shared/delivery/checkpoints.test.ts',
      'shared/delivery/completed.test.ts',
      'shared/delivery/deliver.test.ts',
      'shared/delivery/discard.test.ts',
      'shared/delivery/follow-ups.test.ts',
      'shared/delivery/identify.test.ts',
      'shared/delivery/lease.test.ts',
      'shared/delivery/settle.test.ts',
      'shared/delivery/timing.test.ts',
    ],
  },
  emulators: {
    summary: 'starts of emulators and functions',
    paths: [
      'local/aws/dynamodb.test.ts',
      'local/aws/ecs.test.ts',
      'local/lambda/environment.test.ts',
      'local/sandbox/restart.test.ts',
    ],
  },
  files: {
    summary: 'real media files of real size: checks, conversions, uploads, imports',
    paths: [
      'functions/truncated-files.test.ts',
      'functions/uploads/parts.test.ts',
      'functions/uploads/routes.test.ts',
      'shared/media/check-integrity.test.ts',
      'shared/media/convert/convert-picture.test.ts',
      'shared/media/inspect-file.test.ts',
      'shared/media/media-files.test.ts',
      'shared/media/metadata/iso-metadata.test.ts',
      'shared/media/transfer/run-transfer.test.ts',
    ],
  },
  limits: {
    summary: 'many posts and large texts: caps, quotas, rates, queue slots, pages',
    paths: [
      'functions/posts/large.test.ts',
      'functions/posts/list.test.ts',
      'functions/posts/queue.test.ts',
      'functions/posts/reads.test.ts',
      'shared/ai/offline/captions.test.ts',
      'shared/ai/parse-output.test.ts',
      'shared/caps/caps.test.ts',
      'shared/http/rate-limit.test.ts',
      'shared/platforms/hostile-texts.test.ts',
      'shared/platforms/truncation.test.ts',
      'shared/posts/store/similar.test.ts',
      'shared/posts/validate/agreement.test.ts',
      'shared/posts/validate/sandbox-counts.test.ts',
      'shared/queue/slots.test.ts',
      'shared/quota/quota.test.ts',
    ],
  },
  memory: {
    summary: 'memory of a large import, a large form and large uploads',
    paths: ['test/import-memory.test.ts', 'test/large-files.test.ts', 'test/multipart-memory.test.ts'],
  },
  platforms: {
    summary: 'each platform through the whole local stack, and one that is added to a copy of the project',
    paths: ['test/platforms/'],
  },
  publishers: {
    summary: 'everything a platform publishes, and the servers that stand in for platforms',
    paths: [
      'functions/integrations/connectors.test.ts',
      'shared/platforms/*/delivery.test.ts',
      'shared/platforms/*/follow-ups.test.ts',
      'shared/platforms/*/publish.test.ts',
      'shared/platforms/*/reconcile.test.ts',
      'shared/platforms/*/video.test.ts',
      'shared/platforms/*/sandbox/server.test.ts',
    ],
  },
  stack: {
    summary: 'the CloudFormation template, reviewed by cdk-nag, and the OpenAPI document',
    paths: [
      'bin/construct/pack.test.ts',
      'bin/map-stack/map-text.test.ts',
      'lib/alarms.test.ts',
      'lib/bundle.test.ts',
      'lib/docs.test.ts',
      'lib/floors.test.ts',
      'lib/idle-cost.test.ts',
      'lib/live.test.ts',
      'lib/media-bucket.test.ts',
      'lib/operations.test.ts',
      'lib/recursive-loop.test.ts',
      'test/docs/clients.test.ts',
      'test/docs/runbook.test.ts',
      'test/docs/webhooks.test.ts',
      'lib/service-stack.test.ts',
    ],
  },
  timeouts: {
    summary: 'waits for hosts and providers that do not answer',
    paths: [
      'shared/ai/bedrock.test.ts',
      'shared/net/follow.test.ts',
      'shared/net/pace.test.ts',
      'shared/net/resolve.test.ts',
    ],
  },
  pds: {
    summary: 'the real Bluesky server software (npm run test:pds:install)',
    paths: ['test/pds.test.ts'],
  },
  interrupt: {
    summary: 'an interrupted test run leaves no process behind',
    paths: ['test/interrupt.test.ts'],
  },
} as const satisfies Record<string, Suite>;

export type SuiteName = keyof typeof SLOW_SUITES;

export const SUITE_NAMES = Object.keys(SLOW_SUITES).sort() as SuiteName[];

/** Returns a pattern for jest that matches exactly this file, or the files of this folder; `*` matches one name. */
export function patternOf(root: string, path: string): string {
  return `^${escaped(root)}${escaped(path)}${path.endsWith('/') ? '' : '$'}`;
}

const escaped = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]+');
