import type { PlatformId } from '../../shared/model/platform.ts';
import { PUBLISHED_PLATFORMS } from '../../shared/platforms/registry/published.ts';
import { listen } from '../support/e2e.ts';
import { startStack, type TestStack } from '../support/stack.ts';
import { seededRandom } from './random.ts';
import { measureMessages } from './messages.ts';
import { readAcceptedContents, type AcceptedContents } from './posts.ts';
import { restartStack } from './stack-restart.ts';
import { allRounds, learn, type Extent } from './rounds.ts';
import type { Campaign, Report } from './state.ts';
import { openWorld } from './world.ts';

export interface CampaignOptions extends Extent {
  seed: number;
  /** Default: all. */
  platforms?: readonly PlatformId[];
  log: (line: string) => void;
}

/** Signals that end the whole stack before it is started again. */
const ENDS = ['SIGKILL', 'SIGTERM'] as const;

/** Publishes posts while faults are injected, and reports every post that is lost, duplicated or recorded wrongly. */
export async function runCampaign({
  seed,
  platforms = PUBLISHED_PLATFORMS,
  log,
  ...extent
}: CampaignOptions): Promise<Report> {
  const started = performance.now();
  const report = emptyReport(seed);
  const join = async (stack: TestStack) => {
    const campaign = await openCampaign(stack, platforms, report, log);
    return { ...campaign, accepted: withoutGallery(campaign.accepted) };
  };
  for (const end of extent.thorough ? ENDS : []) await restartStack(join, end);
  const stack = await startStack();
  try {
    const campaign = await join(stack);
    await measureMessages(campaign);
    await learn(campaign);
    await allRounds(campaign, extent);
  } finally {
    await stack.close();
  }
  report.seconds = (performance.now() - started) / 1000;
  return report;
}

/** Google Business shows the text of a video in a post of its own, which may be rejected although the video is live. */
const withoutGallery = (accepted: AcceptedContents): AcceptedContents =>
  new Map(
    [...accepted].map(([platform, contents]) => [
      platform,
      contents.filter(({ post_type }) => platform !== 'gbp' || post_type !== 'video'),
    ]),
  );

/** Returns a campaign on a running stack, without any rounds. */
export async function openCampaign(
  stack: TestStack,
  platforms: readonly PlatformId[],
  report: Report,
  log: (line: string) => void,
): Promise<Campaign> {
  const accepted = await readAcceptedContents(stack, platforms);
  report.platforms = [...accepted.keys()];
  return {
    stack,
    world: openWorld(stack),
    receiver: await listen(stack, 'campaign'),
    accepted,
    random: seededRandom(report.seed),
    kinds: [],
    late: new Set(),
    met: new Set(),
    report,
    log,
  };
}

export const emptyReport = (seed: number): Report => ({
  seed,
  posts: 0,
  platforms: [],
  faults: new Map(),
  outcomes: new Map(),
  requests: { kinds: 0, planned: 0, met: 0 },
  messages: new Map(),
  violations: [],
  diagnostics: [],
  seconds: 0,
});
