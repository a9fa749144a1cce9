import type { PlatformId } from '../../shared/model/platform.ts';
import { lastSeq, traffic, type LivePost, type TrafficLine } from '../support/e2e.ts';
import type { Json } from '../support/stack.ts';
import { judge, type Evidence } from './check.ts';
import type { Storm } from './mishaps.ts';
import { createAll, readAll, type Order } from './posts.ts';
import { add, type Attack, type Campaign } from './state.ts';
import { collectHits, purge, setAttack, setStorm } from './weather.ts';

const DAY_S = 86_400;
/** The clock's steps while a round settles: small at first, larger when only long waits are left. Seconds. */
const STEPS = [...Array.from({ length: 6 }, () => 20), ...Array.from({ length: 20 }, () => 60)];
const LONG_STEP = 300;
/** After so many steps the weather clears: what is left must come to its end. */
const CLEARING = 12;
const MAX_STEPS = 160;
const MAX_STORIES = 5;

/** What a round of posts goes through. */
export interface Weather extends Pick<Evidence, 'accountsMayBeLost'> {
  attacks?: readonly Attack[];
  storms?: readonly Storm[];
  /** Each attack meets one request. */
  once?: boolean;
  /** What is done when all posts are created, and none that is scheduled has begun. */
  ready?: () => Promise<void>;
}

/** One round: posts in this weather, until nothing is on its way any more, and a look at what they left. */
export async function round(
  campaign: Campaign,
  tag: string,
  orders: Order[],
  { attacks = [], storms = [], once = false, ready = () => Promise.resolve(), ...judged }: Weather,
): Promise<void> {
  const { stack, world, dice } = campaign;
  await stack.control('DELETE', '/_control/receiver/campaign');
  const since = await lastSeq(stack);
  const now = await world.now();
  for (const attack of attacks) await setAttack(campaign, attack, now, once);
  for (const storm of storms) await setStorm(campaign, storm);
  const ids = await createAll(stack, orders, now, () => world.pass(30));
  await ready();
  if (storms.length > 0 && dice.chance(0.3)) await purge(campaign);
  const refusals = new Map<PlatformId, number>();
  const inFlight = await settle(campaign, () => collectHits(campaign, refusals));
  await collectHits(campaign, refusals);
  await conclude(campaign, { tag, since, orders, ids, refusals, inFlight, ...judged });
  // A new day: the accounts' daily caps are free again.
  await world.pass(DAY_S + 60);
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
