import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../local/aws/free-port.ts';
import { lastSeq, listen } from '../support/e2e.ts';
import { startStack, type TestStack } from '../support/stack.ts';
import { createDice } from './dice.ts';
import { MISHAPS, STORMS } from './mishaps.ts';
import { createAll, drawOrders, filesFor, readMenu, type Order } from './posts.ts';
import { isSecretExchange, kindsSince, nameOf } from './requests.ts';
import { conclude, round, settle } from './round.ts';
import { add, type Campaign, type Report } from './state.ts';
import { openWorld } from './world.ts';

export interface CampaignOptions {
  seed: number;
  /** How many posts, at least. */
  posts: number;
  /** Also mishaps that take as long as a client waits. */
  slow: boolean;
  /** Also a power cut: the whole stack is killed and started again. */
  restart: boolean;
  say: (line: string) => void;
}

const ROUND = 100;
const ATTACKS = 26;
const STORMS_A_ROUND = 14;

/** Publishes posts in bad weather and looks whether each is live once, and everybody was told the truth. */
export async function runCampaign(options: CampaignOptions): Promise<Report> {
  const started = performance.now();
  const report = emptyReport(options.seed);
  await withStack(await startStack(), async stack => {
    const campaign = await open(stack, options, report);
    await learn(campaign);
    await allRounds(campaign, options);
    report.requests = { attacked: campaign.attacked.size, known: campaign.kinds.length };
  });
  if (options.restart) await powerCut(options, report);
  report.seconds = (performance.now() - started) / 1000;
  return report;
}

async function withStack(stack: TestStack, use: (stack: TestStack) => Promise<void>): Promise<void> {
  try {
    await use(stack);
  } finally {
    await stack.close();
  }
}

async function open(stack: TestStack, { seed, say }: CampaignOptions, report: Report): Promise<Campaign> {
  return {
    stack,
    world: openWorld(stack),
    hook: await listen(stack, 'campaign'),
    menu: await readMenu(stack),
    dice: createDice(seed),
    kinds: [],
    attacked: new Set(),
    report,
    say,
  };
}

/**
 * The whole stack is killed in the middle of everything, and started again with what it kept. The platforms of the
 * sandbox forget what they published when they end, and its receivers what they were told, so none takes anything
 * before: attempts and deliveries of every stage are in flight, some of them marked.
 */
async function powerCut(options: CampaignOptions, report: Report): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'campaign-'));
  // The same addresses before and after: media, and the receiver of the events.
  const args = ['--port', String(await freePort())];
  let stack = await startStack({ data, args });
  try {
    const before = await open(stack, options, report);
    const tag = `Seed ${report.seed} power cut`;
    const orders = drawOrders(before.dice, before.menu, tag, ROUND, 0.4);
    for (const platform of before.menu.keys()) {
      await stack.control('POST', '/_control/faults', { platform, drop: 'before', times: 0 });
    }
    await stack.control('PUT', '/_control/receiver/campaign', { script: [{ status: 503 }] });
    const create = async (some: Order[]) =>
      createAll(stack, some, await before.world.now(), () => before.world.pass(30));
    const early = await create(orders.slice(0, ROUND / 2));
    for (const seconds of [20, 60, 60]) await before.world.pass(seconds);
    const ids = new Map([...early, ...(await create(orders.slice(ROUND / 2)))]);
    await stack.close('SIGKILL');
    add(report.faults, 'whole stack killed and started again', 1);
    stack = await startStack({ data, args });
    const after = { ...before, stack, world: openWorld(stack) };
    const inFlight = await settle(after, () => Promise.resolve());
    await conclude(after, { tag, since: 0, orders, ids, refusals: new Map(), inFlight });
    options.say(`power cut: ${report.posts} posts, ${report.violations.length} violations`);
  } finally {
    await stack.close();
    rmSync(data, { recursive: true, force: true });
  }
}

const emptyReport = (seed: number): Report => ({
  seed,
  posts: 0,
  faults: new Map(),
  outcomes: new Map(),
  requests: { attacked: 0, known: 0 },
  violations: [],
  stories: [],
  seconds: 0,
});

/** Learns every request that each post type makes: in peace, and a day later with all answers lost. */
async function learn(campaign: Campaign): Promise<void> {
  const { stack, menu, say } = campaign;
  const since = await lastSeq(stack);
  const orders = (tag: string): Order[] =>
    [...menu].flatMap(([platform, types]) =>
      types.map(post_type => ({
        key: `${tag}-${platform}-${post_type}`,
        text: `${tag} no ${platform} ${post_type}. @demo.bsky.social`,
        post_type,
        platforms: [platform],
        media: filesFor(post_type, 1),
        in_s: null,
      })),
    );
  const tag = `Seed ${campaign.report.seed}`;
  await round(campaign, `${tag} in peace`, orders(`${tag} in peace`), [], []);
  campaign.kinds = await kindsSince(stack, since);
  const lost = MISHAPS.find(({ name }) => name === 'connection cut after')!;
  const attacks = campaign.kinds.map(kind => ({ kind, mishap: lost }));
  await round(campaign, `${tag} in doubt`, orders(`${tag} in doubt`), attacks, []);
  campaign.kinds = await kindsSince(stack, since);
  say(`${campaign.kinds.length} kinds of requests to ${menu.size} platforms:`);
  for (const kind of campaign.kinds) say(`  ${nameOf(kind)}`);
}

async function allRounds(campaign: Campaign, { posts, slow }: CampaignOptions): Promise<void> {
  const { dice, menu, report, say } = campaign;
  const attacks = dice.shuffled(
    campaign.kinds.flatMap(kind =>
      MISHAPS.filter(
        mishap =>
          !mishap.slow &&
          !(mishap.doubtful && isSecretExchange(kind)) &&
          !(mishap.final && isSecretExchange(kind)),
      ).map(mishap => ({ kind, mishap })),
    ),
  );
  const storms = dice.shuffled(STORMS);
  const begun = report.posts;
  for (let number = 1; report.posts - begun < posts; number += 1) {
    const tag = `Seed ${report.seed} round ${number}`;
    const share = Math.min(ROUND, posts - (report.posts - begun));
    const orders = drawOrders(dice, menu, tag, share, 0.25);
    await round(campaign, tag, orders, deal(attacks, ATTACKS), deal(storms, STORMS_A_ROUND));
    say(
      `round ${number}: ${report.posts} posts, ${sum(report.faults)} faults, ${report.violations.length} violations`,
    );
  }
  if (slow) await slowRound(campaign);
}

/** At every platform requests hang until their client gives up, taken and not. */
async function slowRound(campaign: Campaign): Promise<void> {
  const { dice, menu, report, say } = campaign;
  const attacks = MISHAPS.filter(mishap => mishap.slow).flatMap(mishap =>
    [...menu.keys()].map(platform => ({
      kind: dice.pick(campaign.kinds.filter(kind => kind.platform === platform && !isSecretExchange(kind))),
      mishap,
    })),
  );
  const tag = `Seed ${report.seed} slow`;
  await round(campaign, tag, drawOrders(dice, menu, tag, ROUND, 0), attacks, []);
  say(`slow round: ${report.posts} posts, ${report.violations.length} violations`);
}

/** The next of a stack of cards that goes round. */
function deal<T>(cards: T[], count: number): T[] {
  const dealt = cards.splice(0, Math.min(count, cards.length));
  cards.push(...dealt);
  return dealt;
}

const sum = (counts: ReadonlyMap<string, number>) =>
  [...counts.values()].reduce((total, count) => total + count, 0);
