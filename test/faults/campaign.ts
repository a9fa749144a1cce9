import { listen } from '../support/e2e.ts';
import { startStack, type TestStack } from '../support/stack.ts';
import { seededRandom } from './random.ts';
import { readMenu } from './posts.ts';
import { powerCut } from './power-cut.ts';
import { allRounds, learn } from './rounds.ts';
import type { Campaign, Report } from './state.ts';
import { openWorld } from './world.ts';

export interface CampaignOptions {
  seed: number;
  /** How many posts, at least. */
  posts: number;
  /**
   * Goes on until every mishap met every kind of request, also those that take as long as a client waits, and stops and
   * starts the whole stack.
   */
  thorough: boolean;
  say: (line: string) => void;
}

/** How the whole stack ends before it is started again: as in a power cut, and in peace. */
const ENDS = ['SIGKILL', 'SIGTERM'] as const;

/** Publishes posts in bad weather and looks whether each is live once, and everybody was told the truth. */
export async function runCampaign({ seed, posts, thorough, say }: CampaignOptions): Promise<Report> {
  const started = performance.now();
  const report = emptyReport(seed);
  const join = (stack: TestStack) => open(stack, report, say);
  for (const end of thorough ? ENDS : []) await powerCut(join, end);
  const stack = await startStack();
  try {
    const campaign = await join(stack);
    await learn(campaign);
    await allRounds(campaign, posts, thorough);
  } finally {
    await stack.close();
  }
  report.seconds = (performance.now() - started) / 1000;
  return report;
}

async function open(stack: TestStack, report: Report, say: (line: string) => void): Promise<Campaign> {
  const menu = await readMenu(stack);
  report.platforms = [...menu.keys()];
  return {
    stack,
    world: openWorld(stack),
    hook: await listen(stack, 'campaign'),
    menu,
    random: seededRandom(report.seed),
    kinds: [],
    late: new Set(),
    met: new Set(),
    report,
    say,
  };
}

const emptyReport = (seed: number): Report => ({
  seed,
  posts: 0,
  platforms: [],
  faults: new Map(),
  outcomes: new Map(),
  requests: { kinds: 0, planned: 0, met: 0 },
  violations: [],
  stories: [],
  seconds: 0,
});
