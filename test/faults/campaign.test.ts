import { expect, test } from '@jest/globals';
import { runCampaign } from './campaign.ts';

/*
 * The fault campaign in short. `npm run test:faults` goes on until every mishap met every request of each platform, and
 * stops and starts the whole stack.
 */

const SEED = Number(process.env['FAULTS_SEED'] ?? 1);
const POSTS = 50;
const LIMIT_MS = 600_000;

test(
  'posts in bad weather are live once or not at all, and everybody is told the truth',
  async () => {
    const report = await runCampaign({ seed: SEED, posts: POSTS, thorough: false, say: () => undefined });
    const { violations, stories } = report;
    expect({ seed: SEED, violations, stories }).toEqual({ seed: SEED, violations: [], stories: [] });
    expect(report.posts).toBeGreaterThanOrEqual(POSTS);
    expect(report.requests.met).toBeGreaterThan(0);
    // Weather that does nothing shows nothing.
    const kinds = [...report.faults.keys()];
    expect(kinds.filter(name => name.startsWith('platform: ')).length).toBeGreaterThan(3);
    expect(kinds.filter(name => name.startsWith('AWS: ')).length).toBeGreaterThan(3);
  },
  LIMIT_MS,
);
