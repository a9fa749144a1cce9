import type { PlatformId } from '../../shared/model/platform.ts';
import { lastSeq, livePosts, traffic, type TrafficLine } from '../support/e2e.ts';
import type { Json } from '../support/stack.ts';
import { evaluate, isOf, type Evidence } from './evaluate.ts';
import type { Scenario } from './injected-faults.ts';
import { isTokenExchange, nameOf } from './requests.ts';
import { createAll, readAll, type PostPlan } from './posts.ts';
import { add, type RequestFault, type Campaign } from './state.ts';
import { collectHits, purgeQueues, injectRequestFault, injectScenario } from './scenarios.ts';

/** Steps of a day: tokens of some accounts expire in each, and after the first some posts are due for insights. */
const DAY_STEPS = [3700, ...Array.from({ length: 6 }, () => 4 * 3600)];
/** Steps of the clock while a round settles, in seconds: small at first, larger when only long waits are left. */
const STEPS = [
  ...Array.from({ length: 6 }, () => 20),
  ...Array.from({ length: 20 }, () => 60),
  ...Array.from({ length: 40 }, () => 300),
];
/** The steps reach beyond a day: a post may wait for the midnight at which YouTube's quota is full again. */
const LONG_STEP = 900;
/** Number of steps after which faults end, so that all posts must become final. */
const END_FAULTS_AFTER = 12;
const MAX_STEPS = 160;
const MAX_DIAGNOSTICS = 5;

/** The faults of a round. */
export interface RoundConditions extends Pick<Evidence, 'accountsMayBeLost'> {
  requestFaults?: readonly RequestFault[];
  scenarios?: readonly Scenario[];
  /** Each fault occurs at one request only. */
  once?: boolean;
}

/** Runs one round: creates posts while faults occur, waits until nothing is in flight, and evaluates the result. */
export async function round(
  campaign: Campaign,
  tag: string,
  plans: PostPlan[],
  { requestFaults = [], scenarios = [], once = false, ...expectations }: RoundConditions,
): Promise<void> {
  const { stack, world, random } = campaign;
  await stack.control('DELETE', '/_control/receiver/campaign');
  const since = await lastSeq(stack);
  const now = await world.now();
  const early = requestFaults.filter(({ kind }) => !campaign.late.has(nameOf(kind)));
  for (const requestFault of early) await injectRequestFault(campaign, requestFault, now, once);
  await expireTokens(campaign, early);
  for (const scenario of scenarios) await injectScenario(campaign, scenario);
  const ids = await createAll(stack, plans, now, () => world.pass(30));
  if (scenarios.length > 0 && random.chance(0.3)) await purgeQueues(campaign);
  const rejections = new Map<PlatformId, number>();
  const inFlight = await settle(campaign, () => collectHits(campaign, rejections, false));
  await collectHits(campaign, rejections);
  await evaluateRound(campaign, {
    tag,
    since,
    begun: now,
    plans,
    ids,
    rejections,
    inFlight,
    ...expectations,
  });
}

/** Expires tokens so that the token exchanges with faults are made. */
async function expireTokens({ stack }: Campaign, requestFaults: readonly RequestFault[]): Promise<void> {
  const exchanges = requestFaults.filter(({ kind }) => isTokenExchange(kind));
  for (const platform of new Set(exchanges.map(({ kind }) => kind.platform))) {
    await stack.control('POST', '/_control/tokens', { platform, action: 'expire' });
  }
}

/** Advances the clock by a day, with the faults of requests that are made then. Afterwards the daily caps are free. */
export async function dayAfter(
  campaign: Campaign,
  requestFaults: readonly RequestFault[],
  once = false,
): Promise<void> {
  const { world, late } = campaign;
  const now = await world.now();
  for (const requestFault of requestFaults.filter(({ kind }) => late.has(nameOf(kind)))) {
    await injectRequestFault(campaign, requestFault, now, once);
  }
  for (const seconds of DAY_STEPS) await world.pass(seconds);
  await collectHits(campaign, new Map());
}

/** Advances the clock until nothing is in flight. Returns what is still in flight after the last step. */
export async function settle(
  { world }: Campaign,
  clear: () => Promise<void>,
  steps: readonly number[] = STEPS,
): Promise<string[]> {
  let left: string[] = [];
  for (let step = 0; step < MAX_STEPS; step += 1) {
    if (step === END_FAULTS_AFTER) await clear();
    await world.pass(steps[step] ?? LONG_STEP);
    left = await world.inFlight();
    if (left.length === 0) return [];
  }
  return left;
}

interface Rest extends Omit<Evidence, 'posts' | 'live' | 'events'> {
  tag: string;
  /** Sequence number of the last request to a platform before the round. */
  since: number;
  /** When the round began, in epoch milliseconds. */
  begun: number;
}

/** Evaluates what the posts of a round left behind, adds it to the report and returns it. */
export async function evaluateRound(
  campaign: Campaign,
  { tag, since, begun, ...rest }: Rest,
): Promise<Evidence> {
  const { stack, report } = campaign;
  const live = await livePosts(stack);
  const evidence: Evidence = {
    ...rest,
    posts: await readAll(stack, tag),
    live: live.filter(
      each => Date.parse(each.published_at) >= begun && rest.plans.some(plan => isOf(plan, each)),
    ),
    events: await campaign.receiver.events(),
  };
  const { violations, outcomes } = evaluate(evidence);
  report.posts += rest.ids.size;
  for (const [name, count] of outcomes) add(report.outcomes, name, count);
  for (const violation of violations) {
    report.violations.push(violation);
    campaign.log(`VIOLATION (${violation.kind}) ${violation.key ?? tag}: ${violation.detail}`);
  }
  const lines = violations.length > 0 ? await traffic(stack, since) : [];
  for (const key of new Set(violations.map(violation => violation.key))) {
    if (key !== null && report.diagnostics.length < MAX_DIAGNOSTICS)
      report.diagnostics.push(diagnosticsOf(key, evidence, lines));
  }
  return evidence;
}

function diagnosticsOf(
  key: string,
  { plans, ids, posts, live, events }: Evidence,
  lines: readonly TrafficLine[],
): string {
  const plan = plans.find(each => each.key === key);
  const text = plan?.text ?? '';
  const id = ids.get(key);
  return JSON.stringify(
    {
      plan,
      record: posts.filter(({ description }: Json) => description === text),
      live: live.filter(each => plan && isOf(plan, each)),
      events: events.filter(({ data }: Json) => data.post_id === id),
      traffic: lines
        .filter(({ body }) =>
          JSON.stringify(body ?? null).includes(`${JSON.stringify(text).slice(1, -1).split('.')[0]}.`),
        )
        .map(({ seq, at, method, url, status }: Json) => ({ seq, at, method, url, status })),
    },
    null,
    2,
  );
}
