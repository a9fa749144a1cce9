import type { PlatformId } from '../../shared/model/platform.ts';
import { lastSeq, traffic, type LivePost, type TrafficLine } from '../support/e2e.ts';
import type { Json } from '../support/stack.ts';
import { judge, type Evidence } from './check.ts';
import type { Scenario } from './injected-faults.ts';
import { isSecretExchange, nameOf } from './requests.ts';
import { createAll, readAll, type Order } from './posts.ts';
import { add, type Attack, type Campaign } from './state.ts';
import { collectHits, purge, setAttack, setStorm } from './scenarios.ts';

/** A day, in steps: of each some accounts' tokens end, and in the first some posts are old enough to be measured. */
const DAY_STEPS = [3700, ...Array.from({ length: 6 }, () => 4 * 3600)];
/** The clock's steps while a round settles: small at first, larger when only long waits are left. Seconds. */
const STEPS = [...Array.from({ length: 6 }, () => 20), ...Array.from({ length: 20 }, () => 60)];
const LONG_STEP = 300;
/** After so many steps the weather clears: what is left must come to its end. */
const CLEARING = 12;
const MAX_STEPS = 160;
const MAX_STORIES = 5;

/** What a round of posts goes through. */
export interface RoundConditions extends Pick<Evidence, 'accountsMayBeLost'> {
  attacks?: readonly Attack[];
  scenarios?: readonly Scenario[];
  /** Each attack meets one request. */
  once?: boolean;
}

/** One round: posts in this weather, until nothing is on its way any more, and a look at what they left. */
export async function round(
  campaign: Campaign,
  tag: string,
  orders: Order[],
  { attacks = [], scenarios = [], once = false, ...judged }: RoundConditions,
): Promise<void> {
  const { stack, world, random } = campaign;
  await stack.control('DELETE', '/_control/receiver/campaign');
  const since = await lastSeq(stack);
  const now = await world.now();
  const early = attacks.filter(({ kind }) => !campaign.late.has(nameOf(kind)));
  for (const attack of early) await setAttack(campaign, attack, now, once);
  await expireTokens(campaign, early);
  for (const storm of scenarios) await setStorm(campaign, storm);
  const ids = await createAll(stack, orders, now, () => world.pass(30));
  if (scenarios.length > 0 && random.chance(0.3)) await purge(campaign);
  const refusals = new Map<PlatformId, number>();
  const inFlight = await settle(campaign, () => collectHits(campaign, refusals, false));
  await collectHits(campaign, refusals);
  await conclude(campaign, { tag, since, orders, ids, refusals, inFlight, ...judged });
}

/** Attacked exchanges of secrets are to be made. */
async function expireTokens({ stack }: Campaign, attacks: readonly Attack[]): Promise<void> {
  const exchanges = attacks.filter(({ kind }) => isSecretExchange(kind));
  for (const platform of new Set(exchanges.map(({ kind }) => kind.platform))) {
    await stack.control('POST', '/_control/tokens', { platform, action: 'expire' });
  }
}

/** The day after a round, with attacks on requests that are made then. In the end the accounts' daily caps are free. */
export async function dayAfter(campaign: Campaign, attacks: readonly Attack[], once = false): Promise<void> {
  const { world, late } = campaign;
  const now = await world.now();
  for (const attack of attacks.filter(({ kind }) => late.has(nameOf(kind)))) {
    await setAttack(campaign, attack, now, once);
  }
  for (const seconds of DAY_STEPS) await world.pass(seconds);
  await collectHits(campaign, new Map());
}

/** Lets time pass until nothing is on its way any more. Gives what still is, when that takes too long. */
export async function settle({ world }: Campaign, clear: () => Promise<void>): Promise<string[]> {
  let left: string[] = [];
  for (let step = 0; step < MAX_STEPS; step += 1) {
    if (step === CLEARING) await clear();
    await world.pass(STEPS[step] ?? LONG_STEP);
    left = await world.inFlight();
    if (left.length === 0) return [];
  }
  return left;
}

interface Rest extends Omit<Evidence, 'posts' | 'live' | 'events'> {
  tag: string;
  /** Number of the last request to a platform before. */
  since: number;
}

/** Looks at everything that the posts left behind, and writes down what is wrong with it. */
export async function conclude(campaign: Campaign, { tag, since, ...rest }: Rest): Promise<void> {
  const { stack, report } = campaign;
  const evidence: Evidence = {
    ...rest,
    posts: await readAll(stack, tag),
    live: ((await stack.control('GET', '/_control/published')).body.items as LivePost[]).filter(({ text }) =>
      text.startsWith(`${tag} no `),
    ),
    events: await campaign.hook.events(),
  };
  const { violations, outcomes } = judge(evidence);
  report.posts += rest.ids.size;
  for (const [name, count] of outcomes) add(report.outcomes, name, count);
  for (const violation of violations) {
    report.violations.push(violation);
    campaign.say(`VIOLATION (${violation.kind}) ${violation.key ?? tag}: ${violation.what}`);
  }
  const lines = violations.length > 0 ? await traffic(stack, since) : [];
  for (const key of new Set(violations.map(violation => violation.key))) {
    if (key !== null && report.stories.length < MAX_STORIES) report.stories.push(story(key, evidence, lines));
  }
}

function story(
  key: string,
  { orders, ids, posts, live, events }: Evidence,
  lines: readonly TrafficLine[],
): string {
  const text = orders.find(each => each.key === key)?.text ?? '';
  const id = ids.get(key);
  return JSON.stringify(
    {
      order: orders.find(each => each.key === key),
      record: posts.filter(({ description }: Json) => description === text),
      live: live.filter((each: Json) => each.text === text),
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
