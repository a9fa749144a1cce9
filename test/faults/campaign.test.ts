import { expect, test } from '@jest/globals';
import { runCampaign } from './campaign.ts';

/*
 * A short fault campaign on one platform of each kind. `npm run test:faults` takes all platforms, continues until every
 * fault has hit every request, and also restarts the whole stack.
 */

const SEED = Number(process.env['FAULTS_SEED'] ?? 1);
const POSTS = 25;
/** One that can be asked by key, by container, by upload session, and one that cannot be asked. */
const PLATFORMS = ['bluesky', 'instagram', 'youtube', 'telegram'] as const;
const LIMIT_MS = 600_000;

test(
  'publishes every post exactly once or fails it, with true records and events, despite faults at platforms and AWS',
  async () => {
    const report = await runCampaign({
      seed: SEED,
      posts: POSTS,
      platforms: PLATFORMS,
      thorough: false,
      log: () => undefined,
    });
    const { violations, diagnostics } = report;
    expect({ seed: SEED, violations, diagnostics }).toEqual({ seed: SEED, violations: [], diagnostics: [] });
    expect(report.posts).toBeGreaterThanOrEqual(POSTS);
    expect(report.requests.met).toBeGreaterThan(0);
    expect(report.messages.size).toBeGreaterThan(0);
    // Make sure that faults were injected.
    const kinds = [...report.faults.keys()];
    expect(kinds.filter(name => name.startsWith('platform: ')).length).toBeGreaterThan(3);
    expect(kinds.filter(name => name.startsWith('AWS: ')).length).toBeGreaterThan(3);
  },
  LIMIT_MS,
);
