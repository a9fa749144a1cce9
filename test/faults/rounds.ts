import { lastSeq } from '../support/e2e.ts';
import { connectedProfiles } from '../support/profiles.ts';
import { INJECTED_FAULTS, SCENARIO_NAMES, SCENARIOS, type InjectedFault } from './injected-faults.ts';
import { DEMO, drawOrders, type Order } from './posts.ts';
import { isSecretExchange, kindsSince, nameOf, type RequestKind } from './requests.ts';
import { dayAfter, round } from './round.ts';
import { attackName, type Attack, type Campaign } from './state.ts';

const ROUND = 100;
const ATTACKS = 26;
const SCENARIOS_PER_ROUND = 14;
/** Of the rounds for attacks that met no request so far. */
const SECOND_ROUND = 60;

/** Learns every request that posts of each kind make: in peace, and a day later with all answers lost. */
export async function learn(campaign: Campaign): Promise<void> {
  const { stack, menu, say, report } = campaign;
  const since = await lastSeq(stack);
  const orders = (tag: string): Order[] =>
    [...menu].flatMap(([platform, taken]) =>
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
  await round(campaign, `${tag} in peace`, orders(`${tag} in peace`), {});
  const early = await kindsSince(stack, since);
  await dayAfter(campaign, []);
  const next = await lastSeq(stack);
  const attacks = lostAnswers(await kindsSince(stack, since));
  await round(campaign, `${tag} in doubt`, orders(`${tag} in doubt`), { attacks });
  early.push(...(await kindsSince(stack, next)));
  await dayAfter(campaign, []);
  campaign.kinds = await kindsSince(stack, since);
  const names = new Set(early.map(nameOf));
  const late = campaign.kinds.filter(kind => !names.has(nameOf(kind)) && !isSecretExchange(kind));
  campaign.late = new Set(late.map(nameOf));
  report.requests.kinds = campaign.kinds.length;
  say(`${campaign.kinds.length} kinds of requests to ${menu.size} platforms:`);
  for (const kind of campaign.kinds) say(`  ${nameOf(kind)}`);
}

/**
 * The rounds that the seed deals, until there are enough posts. A thorough campaign then goes on with the attacks that
 * met no request, with requests that hang, and at last with answers whose loss costs an account.
 */
export async function allRounds(campaign: Campaign, posts: number, thorough: boolean): Promise<void> {
  const { kinds, report, met } = campaign;
  const all = kinds.flatMap(kind => INJECTED_FAULTS.map((fault): Attack => ({ kind, fault })));
  const harmless = all.filter(attack => !costsAccount(attack) && !isSenseless(attack));
  const fast = harmless.filter(({ fault }) => !fault.slow);
  // A storm at the wrong moment would turn a refused exchange into a lost one.
  await dealtRounds(
    campaign,
    fast.filter(({ kind }) => !isSecretExchange(kind)),
    posts,
  );
  const exchanges = all.filter(costsAccount);
  if (thorough) {
    await secondRounds(campaign, 'second', fast);
    await secondRounds(campaign, 'hanging', harmless);
    await exchangeRound(campaign, exchanges);
  }
  const planned = thorough ? [...harmless, ...exchanges] : fast;
  const missed = planned.filter(attack => !met.has(attackName(attack)));
  Object.assign(report.requests, { planned: planned.length, met: planned.length - missed.length });
  if (!thorough) return;
  for (const attack of missed) campaign.say(`never: ${attackName(attack)}`);
  for (const name of SCENARIO_NAMES.filter(each => !report.faults.has(each))) campaign.say(`never: ${name}`);
}

/** The platform may have changed the account's secrets, and nobody knows them: no service can mend that. */
const costsAccount = ({ kind, fault }: Attack) => isSecretExchange(kind) && fault.doubtful === true;

/** Secrets that the platform refuses for good are an account that is lost, and no fault of a request. */
const isSenseless = ({ kind, fault }: Attack) => isSecretExchange(kind) && fault.final === true;

async function dealtRounds(campaign: Campaign, fast: readonly Attack[], posts: number): Promise<void> {
  const { random, menu, report } = campaign;
  const attacks = random.shuffled(fast);
  const scenarios = random.shuffled(SCENARIOS);
  const begun = report.posts;
  for (let number = 1; report.posts - begun < posts; number += 1) {
    const tag = `Seed ${report.seed} round ${number}`;
    const share = Math.min(ROUND, posts - (report.posts - begun));
    const orders = drawOrders(random, menu, tag, share, 0.25);
    const dealt = deal(attacks, ATTACKS);
    await round(campaign, tag, orders, { attacks: dealt, scenarios: deal(scenarios, SCENARIOS_PER_ROUND) });
    await dayAfter(campaign, dealt);
    tell(campaign, tag);
  }
}

/**
 * Attacks that met no request yet, each to meet one, as long as there are any that do; lost answers see to it that platforms
 * are asked what became of them.
 */
async function secondRounds(campaign: Campaign, name: string, attacks: readonly Attack[]): Promise<void> {
  const { random, menu, report } = campaign;
  const unmet = () => attacks.filter(attack => !campaign.met.has(attackName(attack)));
  let [before, left] = [Infinity, unmet()];
  for (let number = 1; left.length > 0 && left.length < before; number += 1) {
    const tag = `Seed ${report.seed} ${name} ${number}`;
    const dealt = random.shuffled(left).slice(0, ATTACKS);
    const orders = drawOrders(random, menu, tag, SECOND_ROUND, 0);
    await round(campaign, tag, orders, { attacks: [...dealt, ...lostAnswers(campaign.kinds)], once: true });
    await dayAfter(campaign, dealt, true);
    tell(campaign, tag);
    [before, left] = [left.length, unmet()];
  }
}

function lostAnswers(kinds: readonly RequestKind[]): Attack[] {
  const fault = mishapNamed('connection cut after');
  return kinds.filter(kind => !isSecretExchange(kind)).map(kind => ({ kind, fault }));
}

/**
 * The answers of exchanges are lost in which a platform gives new secrets for old ones. A post whose account was lost
 * with them fails, and its owner is told.
 */
async function exchangeRound(campaign: Campaign, exchanges: readonly Attack[]): Promise<void> {
  const { stack, menu, report } = campaign;
  const platforms = new Set(exchanges.map(({ kind }) => kind.platform));
  const count = Math.max(
    ...[...platforms].map(own => exchanges.filter(({ kind }) => kind.platform === own).length),
  );
  const profiles = Array.from({ length: count }, (_, index) => `Exchange ${index + 1}`);
  await connectedProfiles(stack, profiles, [...platforms]);
  const tag = `Seed ${report.seed} exchange`;
  const orders = profiles.map((profile, index): Order => ({
    key: `${tag}-${index}`,
    profile,
    text: `${tag} no ${index}. Whose account is this?`,
    post_type: 'text',
    platforms: [...menu.keys()].filter(platform => platforms.has(platform)),
    media: [],
    in_s: 400,
  }));
  await round(campaign, tag, orders, { attacks: exchanges, once: true, accountsMayBeLost: true });
  tell(campaign, tag);
}

function mishapNamed(name: string): InjectedFault {
  const found = INJECTED_FAULTS.find(fault => fault.name === name);
  if (!found) throw new Error(`There is no mishap ${name}`);
  return found;
}

/** The next of a stack of cards that goes round. */
function deal<T>(cards: T[], count: number): T[] {
  const dealt = cards.splice(0, Math.min(count, cards.length));
  cards.push(...dealt);
  return dealt;
}

function tell({ report, say }: Campaign, tag: string): void {
  const faults = [...report.faults.values()].reduce((sum, count) => sum + count, 0);
  say(`${tag}: ${report.posts} posts, ${faults} faults, ${report.violations.length} violations`);
}
