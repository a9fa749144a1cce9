import { lastSeq } from '../support/e2e.ts';
import { connectedProfiles } from '../support/profiles.ts';
import { INJECTED_FAULTS, SCENARIO_NAMES, SCENARIOS, type InjectedFault } from './injected-faults.ts';
import { DEMO, drawPlans, type PostPlan } from './posts.ts';
import { isTokenExchange, kindsSince, nameOf, type RequestKind } from './requests.ts';
import { dayAfter, round } from './round.ts';
import { requestFaultName, type RequestFault, type Campaign } from './state.ts';

const ROUND = 100;
const FAULTS_PER_ROUND = 26;
const SCENARIOS_PER_ROUND = 14;
/** Posts of a round for faults that have not occurred yet. */
const REPEAT_ROUND = 60;

/** How much a campaign does. */
export interface Extent {
  /** Minimum number of posts. */
  posts: number;
  /** Continues until every fault has hit every kind of request, including slow ones, and restarts the whole stack. */
  thorough: boolean;
  /** Multiplies the faults of a round of random ones; default: 1. */
  density?: number;
}

/** Collects the kinds of requests that posts make: without faults, and a day later with all responses lost. */
export async function learn(campaign: Campaign): Promise<void> {
  const { stack, accepted, log, report } = campaign;
  const since = await lastSeq(stack);
  const plans = (tag: string): PostPlan[] =>
    [...accepted].flatMap(([platform, taken]) =>
      taken.map((contents, index) => ({
        key: `${tag}-${platform}-${index}`,
        profile: DEMO,
        text: `${tag} no ${platform} ${index}. @demo.bsky.social`,
        platforms: [platform],
        ...contents,
        in_s: null,
      })),
    );
  const tag = `Seed ${report.seed}`;
  await round(campaign, `${tag} without faults`, plans(`${tag} without faults`), {});
  const early = await kindsSince(stack, since);
  await dayAfter(campaign, []);
  const next = await lastSeq(stack);
  const requestFaults = lostResponses(await kindsSince(stack, since));
  await round(campaign, `${tag} lost responses`, plans(`${tag} lost responses`), { requestFaults });
  early.push(...(await kindsSince(stack, next)));
  await dayAfter(campaign, []);
  campaign.kinds = await kindsSince(stack, since);
  const names = new Set(early.map(nameOf));
  const late = campaign.kinds.filter(kind => !names.has(nameOf(kind)) && !isTokenExchange(kind));
  campaign.late = new Set(late.map(nameOf));
  report.requests.kinds = campaign.kinds.length;
  log(`${campaign.kinds.length} kinds of requests to ${accepted.size} platforms:`);
  for (const kind of campaign.kinds) log(`  ${nameOf(kind)}`);
}

/**
 * Runs rounds drawn from the seed until there are enough posts. A thorough campaign continues with the faults that have
 * not occurred, with timeouts, and with lost responses of token exchanges.
 */
export async function allRounds(campaign: Campaign, { posts, thorough, density = 1 }: Extent): Promise<void> {
  const { kinds, report, met } = campaign;
  const all = kinds.flatMap(kind => INJECTED_FAULTS.map((fault): RequestFault => ({ kind, fault })));
  const recoverable = all.filter(
    requestFault => !losesAccount(requestFault) && !isRejectedExchange(requestFault),
  );
  const fast = recoverable.filter(({ fault }) => !fault.slow);
  // Together with a scenario, a rejected token exchange could become a lost one.
  await drawnRounds(
    campaign,
    fast.filter(({ kind }) => !isTokenExchange(kind)),
    posts,
    density,
  );
  const exchanges = all.filter(losesAccount);
  if (thorough) {
    await repeatRounds(campaign, 'repeat', fast);
    await repeatRounds(campaign, 'timeout', recoverable);
    await exchangeRound(campaign, exchanges);
  }
  const planned = thorough ? [...recoverable, ...exchanges] : fast;
  const missed = planned.filter(requestFault => !met.has(requestFaultName(requestFault)));
  Object.assign(report.requests, { planned: planned.length, met: planned.length - missed.length });
  if (!thorough) return;
  for (const requestFault of missed) campaign.log(`did not occur: ${requestFaultName(requestFault)}`);
  for (const name of SCENARIO_NAMES.filter(each => !report.faults.has(each)))
    campaign.log(`did not occur: ${name}`);
}

/** Returns whether the platform may have issued new tokens that nobody received. */
const losesAccount = ({ kind, fault }: RequestFault) => isTokenExchange(kind) && fault.ambiguous === true;

/** Returns whether the platform rejects a token exchange for good, which disconnects the account as it should. */
const isRejectedExchange = ({ kind, fault }: RequestFault) =>
  isTokenExchange(kind) && fault.rejected === true;

async function drawnRounds(
  campaign: Campaign,
  fast: readonly RequestFault[],
  posts: number,
  density: number,
): Promise<void> {
  const { random, accepted, report } = campaign;
  const requestFaults = random.shuffled(fast);
  const scenarios = random.shuffled(SCENARIOS);
  const begun = report.posts;
  for (let number = 1; report.posts - begun < posts; number += 1) {
    const tag = `Seed ${report.seed} round ${number}`;
    const share = Math.min(ROUND, posts - (report.posts - begun));
    const plans = drawPlans(random, accepted, tag, share, 0.25);
    const drawn = takeNext(requestFaults, density * FAULTS_PER_ROUND);
    await round(campaign, tag, plans, {
      requestFaults: drawn,
      scenarios: takeNext(scenarios, density * SCENARIOS_PER_ROUND),
    });
    await dayAfter(campaign, drawn);
    logProgress(campaign, tag);
  }
}

/**
 * Repeats the faults that have not occurred, once each, as long as some of them do. Lost responses make sure that the
 * requests of reconciliation are made, too.
 */
async function repeatRounds(
  campaign: Campaign,
  name: string,
  requestFaults: readonly RequestFault[],
): Promise<void> {
  const { random, accepted, report } = campaign;
  const unmet = () => requestFaults.filter(requestFault => !campaign.met.has(requestFaultName(requestFault)));
  let [before, left] = [Infinity, unmet()];
  for (let number = 1; left.length > 0 && left.length < before; number += 1) {
    const tag = `Seed ${report.seed} ${name} ${number}`;
    const drawn = random.shuffled(left).slice(0, FAULTS_PER_ROUND);
    const plans = drawPlans(random, accepted, tag, REPEAT_ROUND, 0);
    await round(campaign, tag, plans, {
      requestFaults: [...drawn, ...lostResponses(campaign.kinds)],
      once: true,
    });
    await dayAfter(campaign, drawn, true);
    logProgress(campaign, tag);
    [before, left] = [left.length, unmet()];
  }
}

function lostResponses(kinds: readonly RequestKind[]): RequestFault[] {
  const fault = faultNamed('connection cut after');
  return kinds.filter(kind => !isTokenExchange(kind)).map(kind => ({ kind, fault }));
}

/**
 * Loses the responses of token exchanges. A post whose account becomes unusable fails, and its owner is notified with
 * post.token_expired.
 */
async function exchangeRound(campaign: Campaign, exchanges: readonly RequestFault[]): Promise<void> {
  const { stack, accepted, report } = campaign;
  const platforms = new Set(exchanges.map(({ kind }) => kind.platform));
  const count = Math.max(
    ...[...platforms].map(own => exchanges.filter(({ kind }) => kind.platform === own).length),
  );
  const profiles = Array.from({ length: count }, (_, index) => `Exchange ${index + 1}`);
  await connectedProfiles(stack, profiles, [...platforms]);
  const tag = `Seed ${report.seed} exchange`;
  const plans = profiles.map((profile, index): PostPlan => ({
    key: `${tag}-${index}`,
    profile,
    text: `${tag} no ${index}. Token exchange`,
    post_type: 'text',
    platforms: [...accepted.keys()].filter(platform => platforms.has(platform)),
    media: [],
    in_s: 400,
  }));
  await round(campaign, tag, plans, { requestFaults: exchanges, once: true, accountsMayBeLost: true });
  logProgress(campaign, tag);
}

function faultNamed(name: string): InjectedFault {
  const found = INJECTED_FAULTS.find(fault => fault.name === name);
  if (!found) throw new Error(`Unknown fault: ${name}`);
  return found;
}

/** Returns the next items of a list and moves them to its end. */
function takeNext<T>(items: T[], count: number): T[] {
  const next = items.splice(0, Math.min(count, items.length));
  items.push(...next);
  return next;
}

function logProgress({ report, log }: Campaign, tag: string): void {
  const faults = [...report.faults.values()].reduce((sum, count) => sum + count, 0);
  log(`${tag}: ${report.posts} posts, ${faults} faults, ${report.violations.length} violations`);
}
