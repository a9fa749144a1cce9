import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PLATFORM_IDS, type PlatformId } from '../../shared/model/platform.ts';
import { emptyReport, openCampaign } from '../faults/campaign.ts';
import { killAtEveryRequest, tableOf } from '../faults/kill.ts';
import { COMMENTED, CONTENTS, isAccepted, VARIANTS, type Contents } from '../faults/posts.ts';
import { HOWS } from '../faults/places.ts';
import type { Campaign } from '../faults/state.ts';
import { closeStack } from '../support/e2e.ts';
import { startStack, type TestStack } from '../support/stack.ts';

/*
 * Faults at every request of a delivery: the worker dies, or the connection breaks, before or after the platform has
 * accepted the request. The post must be live exactly once, and its record and events must say so.
 */

const START_MS = 600_000;
const SUITE_MS = 3_600_000;
/**
 * KILL_ALL=1 takes every kind of post on every platform, KILL_ONLY=instagram,threads every kind on these. KILL_HOW=page
 * lets a proxy answer 200 with a page instead.
 */
const only = process.env['KILL_ONLY']?.split(',') ?? [];
const hows = HOWS.filter(how => (process.env['KILL_HOW'] ?? 'kill,drop').split(',').includes(how));
const isWhole = process.env['KILL_ALL'] === '1' || only.length > 0;
const every = PLATFORM_IDS.filter(platform => only.length === 0 || only.includes(platform));
const PLATFORMS: readonly PlatformId[] = isWhole ? every : ['x', 'bluesky', 'telegram'];

let stack: TestStack;
let campaign: Campaign;
beforeAll(async () => {
  // A stack of its own: what other tests have left in its queues would be taken for messages of these posts.
  stack = await startStack();
  campaign = await openCampaign(stack, PLATFORMS, emptyReport(0), () => undefined);
}, START_MS);
afterAll(async () => {
  campaign.world.close();
  await closeStack(stack);
});

const nameOf = ({ post_type, media, words, comment, fields = {} }: Contents) =>
  [
    words === undefined ? post_type : `long ${post_type}`,
    ...media,
    ...(comment === undefined ? [] : ['with a comment']),
    ...Object.keys(fields).slice(0, 1),
  ].join(' ');

test.each(
  (isWhole ? [...CONTENTS, ...COMMENTED, ...VARIANTS] : CONTENTS.slice(0, 2)).map(
    (contents): [string, Contents] => [nameOf(contents), contents],
  ),
)(
  'a post of type %s is live exactly once with any fault at any request',
  async (name, contents) => {
    const platforms = PLATFORMS.filter(platform => isAccepted(campaign.accepted, platform, contents));
    if (platforms.length === 0) return;
    const report = await killAtEveryRequest(campaign, `Kill ${name}`, contents, platforms, hows);
    if (isWhole) console.log(`${name}\n${tableOf(report)}`);
    expect(report.wrong).toEqual([]);
    expect([...report.deliveries.keys()].toSorted()).toEqual([...platforms].toSorted());
  },
  SUITE_MS,
);
