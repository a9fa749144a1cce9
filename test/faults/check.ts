import type { PlatformId } from '../../shared/model/platform.ts';
import type { LivePost } from '../support/e2e.ts';
import type { Json } from '../support/stack.ts';
import type { Order } from './posts.ts';

export type Kind = 'duplicate' | 'lost' | 'untrue' | 'event' | 'in flight';

export interface Violation {
  kind: Kind;
  what: string;
  /** The post that tells the story, where there is one. */
  key: string | null;
}

/** What a round left behind. */
export interface Evidence {
  orders: readonly Order[];
  ids: ReadonlyMap<string, string>;
  posts: readonly Json[];
  live: readonly LivePost[];
  /** Bodies of all deliveries to the receiver. */
  events: readonly Json[];
  /** Destinations of a platform that were refused for good. */
  refusals: ReadonlyMap<PlatformId, number>;
  inFlight: readonly string[];
  /** Answers that carry an account's secrets were lost: posts may fail for want of the account. */
  accountsMayBeLost?: boolean;
}

/**
 * Platforms whose publishers cannot find out what became of a lost request, as their reconciliation says. All others
 * must always know.
 */
export const CANNOT_BE_ASKED: readonly PlatformId[] = ['telegram'];

export interface Verdict {
  violations: Violation[];
  /** Destinations by platform and outcome. */
  outcomes: Map<string, number>;
}

export function judge(evidence: Evidence): Verdict {
  const violations: Violation[] = evidence.inFlight.map(what => ({ kind: 'in flight', what, key: null }));
  const outcomes = new Map<string, number>();
  const refused = new Map<PlatformId, string[]>();
  for (const order of evidence.orders) {
    const found = (kind: Kind, what: string) => violations.push({ kind, what, key: order.key });
    const posts = evidence.posts.filter(({ description }) => description === order.text);
    const id = evidence.ids.get(order.key);
    if (posts.length > (id === undefined ? 0 : 1)) found('duplicate', `created ${posts.length} times`);
    const post = posts.find(({ post_id }) => post_id === id);
    if (id === undefined) continue;
    if (!post) {
      found('lost', 'accepted, and not in the list');
      continue;
    }
    for (const platform of order.platforms) {
      const destination = post.destinations.find((each: Json) => each.platform === platform);
      const live = evidence.live.filter(each => each.platform === platform && textOf(each) === order.text);
      const outcome = outcomeOf(destination, evidence.accountsMayBeLost);
      outcomes.set(`${platform} ${outcome}`, (outcomes.get(`${platform} ${outcome}`) ?? 0) + 1);
      if (outcome === 'refused') refused.set(platform, [...(refused.get(platform) ?? []), order.key]);
      for (const [kind, what] of [
        ...faultsOf(order, platform, destination, live, outcome),
        ...eventFaults(id, platform, destination, evidence.events),
      ]) {
        found(kind, `${platform}: ${what}`);
      }
    }
  }
  for (const [platform, keys] of refused) {
    const allowed = evidence.refusals.get(platform) ?? 0;
    if (keys.length > allowed) {
      const what = `${platform}: ${keys.length} destinations failed, the platform refused ${allowed}`;
      violations.push({ kind: 'lost', what, key: keys[0] ?? null });
    }
  }
  return { violations, outcomes };
}

/** Texts as they were sent: platforms trim, and show them in their own ways. */
const textOf = ({ text }: LivePost) => text.trim();

type Outcome = 'published' | 'unknown' | 'refused' | 'without its account' | 'open';

function outcomeOf({ status, error }: Json, accountsMayBeLost = false): Outcome {
  if (status === 'published') return 'published';
  if (status !== 'failed') return 'open';
  if (error.code === 'DELIVERY_UNKNOWN') return 'unknown';
  return accountsMayBeLost && error.code === 'TOKEN_EXPIRED' ? 'without its account' : 'refused';
}

function* faultsOf(
  order: Order,
  platform: PlatformId,
  destination: Json,
  live: readonly LivePost[],
  outcome: Outcome,
): Generator<[Kind, string]> {
  if (live.length > 1) yield ['duplicate', `live ${live.length} times`];
  if (outcome === 'open') yield ['in flight', `still ${destination.status}`];
  if (outcome === 'unknown' && !CANNOT_BE_ASKED.includes(platform)) {
    yield ['untrue', `unknown, though it can be asked (live ${live.length} times)`];
  }
  if ((outcome === 'refused' || outcome === 'without its account') && live.length > 0) {
    yield ['untrue', `failed (${destination.error.code}), and live`];
  }
  if (
    outcome === 'refused' &&
    destination.error.category !== 'content' &&
    destination.error.category !== 'media'
  ) {
    yield ['lost', `failed: ${JSON.stringify(destination.error)}`];
  }
  if (outcome !== 'published') return;
  const [post] = live;
  if (!post) {
    yield ['lost', 'published by its record, and not live'];
    return;
  }
  if (post.platform_post_id !== destination.platform_post_id) {
    yield ['untrue', `its id is ${post.platform_post_id}, not ${destination.platform_post_id}`];
  }
  if (post.platform_post_url !== destination.platform_post_url) {
    yield ['untrue', `its link is ${post.platform_post_url}, not ${destination.platform_post_url}`];
  }
  if (post.media.length !== order.media.length) {
    yield ['untrue', `it shows ${post.media.length} files, not ${order.media.length}`];
  }
}

function* eventFaults(
  id: string,
  platform: PlatformId,
  destination: Json,
  events: readonly Json[],
): Generator<[Kind, string]> {
  const mine = events.filter(({ data }) => data.post_id === id && data.platform === platform);
  const idsOf = (kind: string, attempt?: number) =>
    new Set(
      mine
        .filter(({ event, data }) => event === kind && (attempt === undefined || data.attempt === attempt))
        .map(event => event.id),
    );
  for (const kind of ['post.published', 'post.failed']) {
    const wanted = kind === `post.${destination.status}` ? 1 : 0;
    const count = idsOf(kind).size;
    if (count !== wanted) yield ['event', `${count} ids of ${kind}, not ${wanted}`];
  }
  const lost = idsOf('post.token_expired').size;
  if (lost > 1 || (lost === 0 && destination.error?.code === 'TOKEN_EXPIRED')) {
    yield ['event', `${lost} ids of post.token_expired`];
  }
  const attempts = new Set(
    mine.filter(({ event }) => event === 'post.retry').map(({ data }) => data.attempt as number),
  );
  for (const attempt of attempts) {
    const count = idsOf('post.retry', attempt).size;
    if (count !== 1) yield ['event', `${count} ids of post.retry for attempt ${attempt}`];
    if (attempt > destination.attempts)
      yield ['event', `post.retry for attempt ${attempt} of ${destination.attempts}`];
  }
  const told = mine.find(({ event }) => event === 'post.published')?.data;
  if (told && told.platform_post_id !== destination.platform_post_id) {
    yield ['untrue', `the event says ${told.platform_post_id}, the record ${destination.platform_post_id}`];
  }
}
