import type { PlatformId } from '../../shared/model/platform.ts';
import { killRounds, type KillRound } from './kill-round.ts';
import {
  placeName,
  planName,
  plansAt,
  recoveryPlaces,
  type FaultPlan,
  type How,
  type Place,
} from './places.ts';
import type { Contents } from './posts.ts';
import { add, type Campaign } from './state.ts';

/** What the faults at the requests of one kind of post did. */
export interface KillReport {
  /** Number of deliveries with faults, by platform. */
  deliveries: Map<PlatformId, number>;
  /** Number of them whose outcome is unknown, by platform. */
  unknown: Map<PlatformId, number>;
  /** Faults that did not occur, although they were planned twice. */
  missed: string[];
  /** What is not live exactly once, or not recorded as it is. */
  wrong: string[];
}

/** The deliveries of one platform. */
interface PlatformPlans {
  platform: PlatformId;
  /** The requests of a delivery without faults. */
  clean: readonly Place[];
  /** Number of live posts that it results in. */
  live: number;
  plans: FaultPlan[];
  /** Descriptions of the recovery requests that are planned. */
  recovery: Set<string>;
  repeated: Set<FaultPlan>;
}

/**
 * Publishes posts with these contents, each with a fault at one request to each platform, until every fault has hit every
 * request of a delivery, and every request that only the recovery from such a fault makes.
 */
export async function killAtEveryRequest(
  campaign: Campaign,
  name: string,
  contents: Contents,
  platforms: readonly PlatformId[],
  hows: readonly How[] = ['kill', 'drop'],
): Promise<KillReport> {
  const report: KillReport = { deliveries: new Map(), unknown: new Map(), missed: [], wrong: [] };
  const nextRound = killRounds(campaign, name, contents, platforms);
  const first = await nextRound(new Map());
  report.wrong.push(...first.problems);
  const everyPlatform = platforms.map(platform => platformPlans(platform, first, hows));
  for (;;) {
    const faults = new Map(
      everyPlatform.flatMap(({ platform, plans: [plan] }) => (plan ? [[platform, plan]] : [])),
    );
    if (faults.size === 0) return report;
    const round = await nextRound(faults);
    report.wrong.push(...round.problems);
    for (const own of everyPlatform) afterDelivery(own, round, report, hows);
  }
}

const platformPlans = (platform: PlatformId, first: KillRound, hows: readonly How[]): PlatformPlans => ({
  platform,
  clean: first.placesOf(platform),
  live: first.liveOn(platform),
  // The request that publishes is among the last.
  plans: plansAt(first.placesOf(platform).toReversed(), [], hows),
  recovery: new Set(),
  repeated: new Set(),
});

/** Takes the plan of a round off its list, and adds what follows from it. */
function afterDelivery(own: PlatformPlans, round: KillRound, report: KillReport, hows: readonly How[]): void {
  const { platform, clean, plans, recovery, repeated } = own;
  const plan = plans.shift();
  if (!plan) return;
  const live = round.liveOn(platform);
  const isWrong = round.isUnknown(platform) ? live > own.live : live !== own.live;
  if (isWrong) report.wrong.push(`${live} posts are live on ${platform}, not ${own.live}: ${planName(plan)}`);
  if (!round.occurred(platform)) {
    if (repeated.has(plan)) report.missed.push(planName(plan));
    else plans.push(plan);
    repeated.add(plan);
    return;
  }
  add(report.deliveries, platform, 1);
  if (round.isUnknown(platform)) add(report.unknown, platform, 1);
  const [first, second] = plan;
  if (!first || second) return;
  for (const place of recoveryPlaces(clean, round.placesOf(platform))) {
    const name = `${placeName(place)} after a fault ${first.effect.when} the request`;
    if (recovery.has(name)) continue;
    recovery.add(name);
    plans.push(...plansAt([place], plan, hows));
  }
}

/** Returns the report as a text table. */
export function tableOf({ deliveries, unknown, missed, wrong }: KillReport): string {
  const rows = [...deliveries].map(
    ([platform, count]) =>
      `${platform}: ${count} deliveries with faults, ${unknown.get(platform) ?? 0} unknown`,
  );
  return [...rows, `${wrong.length} wrong`, ...missed.map(each => `did not occur: ${each}`)].join('\n');
}
