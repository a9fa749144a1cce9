import { targetIdOf } from '../connections/target-choice.ts';
import {
  mayBeLive,
  pendingFollowUps,
  UNKNOWN_POST_ID,
  type Destination,
  type PublishedPost,
} from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import type { Connection } from '../model/profile.ts';
import type { Finding, Identify, PublishJob } from '../platforms/contract/publisher.ts';
import type { PlatformRules } from '../platforms/contract/rules.ts';
import { sameText } from '../platforms/kit/same-text.ts';
import type { Services } from '../runtime/services.ts';
import { listCapReservations } from '../store/cap-reservations.ts';
import { getPosts } from '../store/posts.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../time/instant.ts';
import { jobOf } from './job.ts';
import { isCommitting } from './lease.ts';

/*
 * An account may publish the same content twice within seconds. When the response to one of the requests is lost, the
 * post that the platform shows may be the other one: it is taken only if no other destination of the account has it, or
 * may have it.
 */

/** A destination publishes within a day of its reservation. */
const REACH_MS = DAY + HOUR;
/** A reservation is at most this much later than the post: clocks differ. */
const LATER_MS = 5 * MINUTE;
/** Maximum clock skew between the platform and the service. */
const CLOCK_SKEW_MS = 5 * SECOND;
const AGAIN_MS = 5 * SECOND;

/** A destination of another post of the same account. */
interface Other {
  destination: Destination;
  job: PublishJob;
}

/** Returns what tells the live post of `post` from those of other posts of the account. */
export function createIdentify(
  services: Services,
  rules: PlatformRules,
  post: Post,
  connection: Connection,
): Identify {
  // Null is the account's own page, whatever is the default now.
  const targetOf = (destination: Destination | undefined, { options }: PublishJob) =>
    destination?.target_id === undefined ? targetIdOf(connection, options) : destination.target_id;
  return async (candidates, looksAlike) => {
    if (candidates.length === 0) return { type: 'absent' };
    const own = jobOf(rules, post, connection);
    const isAlike = looksAlike ?? (({ text }: PublishJob) => sameText(text, own.text));
    const others = await othersOf(services, rules, post, connection, candidates);
    const target = targetOf(post.destinations[connection.platform], own);
    const alike = others.filter(
      ({ destination, job }) => targetOf(destination, job) === target && isAlike(job),
    );
    const rivals = alike.filter(
      ({ destination }) => isUndecided(destination) || lacksId(destination, candidates),
    );
    return choose(own, withoutUnnamed(withoutTaken(candidates, others), alike), rivals);
  };
}

/** Reads the account's other posts, as they are after the candidates were read. */
async function othersOf(
  { table }: Services,
  rules: PlatformRules,
  { workspace_id, post_id, destinations }: Post,
  connection: Connection,
  candidates: readonly PublishedPost[],
): Promise<Other[]> {
  const accountOf = (all: Post['destinations']) => all[connection.platform]?.social_account_id;
  const account = accountOf(destinations) ?? connection.id;
  const times = candidates.map(({ published_at }) => published_at);
  const [from, until] = [Math.min(...times) - REACH_MS, Math.max(...times) + LATER_MS];
  const reservations = await listCapReservations(table, account, from, until);
  const ids = new Set(reservations.map(each => each.post_id));
  ids.delete(post_id);
  const posts = await getPosts(table, workspace_id, [...ids]);
  return posts.flatMap(other => {
    const destination = other.destinations[connection.platform];
    if (destination?.social_account_id !== account) return [];
    return [{ destination, job: jobOf(rules, other, connection) }];
  });
}

const withoutTaken = (candidates: readonly PublishedPost[], others: readonly Other[]): PublishedPost[] => {
  const taken = new Set(others.map(({ destination }) => postIdOf(destination)));
  return candidates.filter(({ platform_post_id: id }) => id === UNKNOWN_POST_ID || !taken.has(id));
};

const postIdOf = (destination: Destination): string | null =>
  destination.status === 'published' ? destination.platform_post_id : null;

/** Chooses among the live posts that no other destination has. `rivals`: the destinations that may have one of them. */
function choose(own: PublishJob, free: readonly PublishedPost[], rivals: readonly Other[]): Finding {
  const [first] = free.toSorted((a, b) => a.published_at - b.published_at);
  if (!first) return { type: 'absent' };
  if (rivals.some(rival => goesFirst(rival, own))) return { type: 'wait', delayMs: AGAIN_MS };
  const sufficesForAll = free.length > rivals.length;
  const isInterchangeable = rivals.every(
    ({ destination, job }) => !mayBeLive(destination) && contentOf(job) === contentOf(own),
  );
  return sufficesForAll || isInterchangeable ? { type: 'published', post: first } : { type: 'unknown' };
}

/** Leaves out as many live posts without an id as other destinations published at that time. */
function withoutUnnamed(candidates: readonly PublishedPost[], alike: readonly Other[]): PublishedPost[] {
  const [unnamed, named] = partition(candidates, ({ platform_post_id: id }) => id === UNKNOWN_POST_ID);
  const since = Math.min(...unnamed.map(({ published_at }) => published_at)) - CLOCK_SKEW_MS;
  const theirs = alike.filter(
    ({ destination }) => destination.status === 'published' && destination.published_at >= since,
  );
  return [...named, ...unnamed.slice(theirs.length)];
}

/**
 * True for a live post with an id that no candidate has, and that may change: it may be one of them. Its follow-ups find
 * out.
 */
function lacksId(destination: Destination, candidates: readonly PublishedPost[]): boolean {
  const since = Math.min(...candidates.map(({ published_at }) => published_at)) - CLOCK_SKEW_MS;
  return (
    destination.status === 'published' &&
    destination.published_at >= since &&
    candidates.every(({ platform_post_id: id }) => id !== destination.platform_post_id) &&
    pendingFollowUps(destination).length > 0
  );
}

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongs), items.filter(item => !belongs(item))];
}

/** True while it is not known whether a destination has a live post, and which. */
const isUndecided = (destination: Destination): boolean =>
  mayBeLive(destination) || ('intent' in destination && destination.intent !== null);

/** A request that may be running, and an id to come, are awaited; of destinations that look for their post, the older one chooses first. */
function goesFirst({ destination, job }: Other, own: PublishJob): boolean {
  if (destination.status === 'failed') return false;
  if (destination.status === 'published') return true;
  return isCommitting(destination) || job.post_id < own.post_id;
}

/** Returns what makes two posts interchangeable: everything that is published. */
function contentOf(job: PublishJob): string {
  const { text, title, media_urls, alt_texts, first_comment, options, post_type } = job;
  return JSON.stringify([post_type, text, title, media_urls, alt_texts, first_comment, options]);
}
