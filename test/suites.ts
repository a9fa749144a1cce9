/** A group of slow test files. */
export interface Suite {
  /** What it shows, for `npm test -- --help`. */
  summary: string;
  /** Test files or folders, relative to the root of the project. */
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
  campaigns: {
    summary: 'posts and webhook deliveries while faults are injected',
    paths: ['test/faults/campaign.test.ts', 'test/campaigns/'],
  },
  crash: {
    summary: 'workers that die at every call, and concurrent requests on one table',
    paths: [
      'functions/crash.test.ts',
      'functions/insights/crash.test.ts',
      'functions/webhook-dispatcher/crash.test.ts',
      'functions/posts/lifecycle.test.ts',
      'functions/posts/delete.test.ts',
    ],
  },
  stack: {
    summary: 'the CloudFormation template, reviewed by cdk-nag, and the OpenAPI document',
    paths: ['lib/service-stack.test.ts', 'lib/docs.test.ts'],
  },
  platforms: {
    summary: 'each platform through the whole local stack, and one that is added to a copy of the project',
    paths: ['test/platforms/'],
  },
  memory: { summary: 'memory of an import of 1 GiB', paths: ['test/import-memory.test.ts'] },
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

/** Returns a pattern for jest that matches exactly these files and folders of the project. */
export function patternOf(root: string, path: string): string {
  return `^${escaped(root)}${escaped(path)}${path.endsWith('/') ? '' : '$'}`;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
