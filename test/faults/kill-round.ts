import type { PlatformId } from '../../shared/model/platform.ts';
import { livePosts, traffic, type LivePost } from '../support/e2e.ts';
import { connectedProfiles } from '../support/profiles.ts';
import type { Json } from '../support/stack.ts';
import { faultBodies, placesOf, planName, type FaultPlan, type Place } from './places.ts';
import { createAll, type Contents, type PostPlan } from './posts.ts';
import { evaluateRound, settle } from './round.ts';
import type { Campaign } from './state.ts';

/** Less than the daily cap of any platform, which counts for each profile. */
const ROUNDS_PER_PROFILE = 8;
/** TikTok accepts five drafts a day, and a delivery with two faults may begin three. A day passes with each profile. */
const ROUNDS_OF_DRAFTS = 1;
/** Steps of the clock while a round settles, in seconds. No worker runs meanwhile, so that none sees its lease expire. */
const STEPS = [20, 40, 60, 120];

const DAY_S = 24 * 60 * 60;

/**
 * The requests that publish, on platforms that cannot always be asked what became of them, and how often one must be lost
 * before its outcome may be unknown. Snapchat does not list stories that last for a day.
 */
const COMMITS: Readonly<Partial<Record<PlatformId, readonly { path: RegExp; losses: number }[]>>> = {
  telegram: [{ path: /send/, losses: 1 }],
  linkedin: [{ path: /rest.+posts/, losses: 1 }],
  tiktok: [{ path: /content.+init/, losses: 1 }],
  snapchat: [
    { path: /spotlights|saved_stories/, losses: 2 },
    { path: /\/stories/, losses: 1 },
  ],
};

/** The faults of a round, by platform. */
export type RoundPlan = ReadonlyMap<PlatformId, FaultPlan>;

export interface KillRound {
  placesOf: (platform: PlatformId) => Place[];
  /** Whether all faults of the platform have hit a request. */
  occurred: (platform: PlatformId) => boolean;
  isUnknown: (platform: PlatformId) => boolean;
  /** Number of posts that went live, whatever their text. */
  liveOn: (platform: PlatformId) => number;
  problems: string[];
}

/**
 * Returns a function that publishes a post with these contents and faults, waits until nothing is in flight and evaluates
 * the result. Without faults, the post goes to all platforms.
 */
export function killRounds(
  campaign: Campaign,
  name: string,
  contents: Contents,
  all: readonly PlatformId[],
): (faults: RoundPlan) => Promise<KillRound> {
  const roundsPerProfile =
    'tiktok_post_mode' in (contents.fields ?? {}) ? ROUNDS_OF_DRAFTS : ROUNDS_PER_PROFILE;
  let number = 0;
  let profile = '';
  return async faults => {
    if (number % roundsPerProfile === 0) {
      // YouTube's quota lasts for about a dozen videos with captions a day.
      await campaign.stack.advance(number === 0 ? 0 : DAY_S);
      profile = `${name} ${number}`;
      await connectedProfiles(campaign.stack, [profile], all);
    }
    number += 1;
    const key = `${name} ${number}`;
    const text = `${key} no 1. @demo.bsky.social`;
    const platforms = faults.size === 0 ? [...all] : [...faults.keys()];
    return killRound(campaign, faults, { key, profile, text, platforms, in_s: null, ...contents });
  };
}

async function killRound(campaign: Campaign, faults: RoundPlan, plan: PostPlan): Promise<KillRound> {
  const { stack, world, report, log } = campaign;
  await inject(campaign, faults);
  const begun = await world.now();
  const ids = await createAll(stack, [plan], begun, () => world.pass(30));
  const inFlight = await settle(campaign, () => Promise.resolve(), STEPS);
  const lines = await traffic(stack, new Date(begun).toISOString(), 'publisher-');
  const live = (await livePosts(stack)).filter(({ published_at }) => Date.parse(published_at) >= begun);
  const injected: Json[] = (await stack.control('GET', '/_control/faults')).body.items;

  const before = report.violations.length;
  const { posts } = await evaluateRound(campaign, {
    tag: plan.key,
    since: (lines[0]?.seq ?? 1) - 1,
    begun,
    plans: [plan],
    ids,
    rejections: new Map(),
    inFlight,
    mayBeUnknown: plan.platforms.filter(platform => losesCommit(platform, faults.get(platform) ?? [])),
  });
  const planned = [...faults.values()].map(planName).join('; ');
  log(`${plan.key}: ${planned}`);
  return {
    placesOf: platform => placesOf(lines.filter(line => line.platform === platform)),
    occurred: platform => injected.every(fault => fault.platform !== platform || fault.hits === 1),
    isUnknown: platform => unknownOf(posts[0]).includes(platform),
    liveOn: platform => live.filter(post => post.platform === platform).length,
    problems: [
      ...report.violations.slice(before).map(({ kind, detail }) => `${kind}: ${detail}`),
      ...failedFollowUps(posts[0]),
      ...live.flatMap(addedTwice),
    ].map(problem => `${plan.key}: ${problem} (${planned})`),
  };
}

/** Injects the faults of a round in place of those of the last one, whose events are deleted. */
async function inject({ stack }: Campaign, faults: RoundPlan): Promise<void> {
  await stack.control('DELETE', '/_control/receiver/campaign');
  await stack.control('DELETE', '/_control/faults');
  for (const body of [...faults.values()].flatMap(faultBodies)) {
    await stack.control('POST', '/_control/faults', body);
  }
}

/** Follow-ups that failed: no fault of a round is a rejection. Those of comments are evaluated with the live post. */
const failedFollowUps = (post: Json): string[] =>
  (post?.destinations ?? []).flatMap(({ platform, follow_ups }: Json) =>
    follow_ups
      .filter(({ name, status }: Json) => name !== 'first_comment' && status === 'failed')
      .map(({ name, error }: Json) => `${platform}: ${name} failed: ${JSON.stringify(error)}`),
  );

/** Captions and playlists that a video was given more than once. */
function addedTwice({ platform, fields }: LivePost): string[] {
  const added = [...(fields.captions ?? []), ...(fields.playlists ?? [])].map(each => JSON.stringify(each));
  return new Set(added).size < added.length ? [`${platform}: added twice: ${added.join()}`] : [];
}

const unknownOf = (post: Json): PlatformId[] =>
  (post?.destinations ?? [])
    .filter(({ error }: Json) => error?.code === 'DELIVERY_UNKNOWN')
    .map(({ platform }: Json) => platform);

function losesCommit(platform: PlatformId, plan: FaultPlan): boolean {
  const commits = COMMITS[platform] ?? [];
  return commits.some(({ path, losses }) => plan.filter(({ kind }) => path.test(kind.path)).length >= losses);
}
