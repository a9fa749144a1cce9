import type { PlatformId } from '../../shared/model/platform.ts';
import type { LivePost } from '../support/e2e.ts';
import type { Json } from '../support/stack.ts';
import type { PostPlan } from './posts.ts';

export type Kind = 'duplicate' | 'lost' | 'inconsistent' | 'event' | 'in flight' | 'messages';

export interface Violation {
  kind: Kind;
  detail: string;
  /** Key of the post, if the violation concerns one. */
  key: string | null;
}

/** The state after a round. */
export interface Evidence {
  plans: readonly PostPlan[];
  ids: ReadonlyMap<string, string>;
  posts: readonly Json[];
  live: readonly LivePost[];
  /** Bodies of all webhook deliveries. */
  events: readonly Json[];
  /** Number of requests that each platform rejected for good. A rejected question for the outcome leaves it unknown. */
  rejections: ReadonlyMap<PlatformId, number>;
  inFlight: readonly string[];
  /** Platforms whose destinations may end with DELIVERY_UNKNOWN; default: all that cannot be asked. */
  mayBeUnknown?: readonly PlatformId[];
  /** Responses with an account's new tokens were lost: posts may fail because the account needs a new connection. */
  accountsMayBeLost?: boolean;
}

/**
 * Platforms that cannot always be asked for the outcome of a request whose response was lost: TikTok lists public posts
 * only, and Snapchat's list may lag behind, so that the request is repeated once only. All others must always reconcile.
 */
const CANNOT_RECONCILE: readonly PlatformId[] = ['telegram', 'linkedin', 'tiktok', 'snapchat'];

/** True where Facebook answered twice with a code after which its list of posts may lag behind. */
const isCode2 = ({ platform, error }: Json) => platform === 'facebook' && / \(code 2\)/.test(error?.message);

export interface Evaluation {
  violations: Violation[];
  /** Destinations by platform and outcome. */
  outcomes: Map<string, number>;
}

/** Returns the violations: a post must be live exactly once or failed, recorded and announced as it is, with nothing left over. */
export function evaluate(evidence: Evidence): Evaluation {
  const violations: Violation[] = evidence.inFlight.map(detail => ({ kind: 'in flight', detail, key: null }));
  const outcomes = new Map<string, number>();
  const rejected = new Map<PlatformId, string[]>();
  for (const plan of evidence.plans) {
    const found = (kind: Kind, detail: string) => violations.push({ kind, detail, key: plan.key });
    const posts = evidence.posts.filter(({ description }) => description === plan.text);
    const id = evidence.ids.get(plan.key);
    if (posts.length > (id === undefined ? 0 : 1)) found('duplicate', `created ${posts.length} times`);
    const post = posts.find(({ post_id }) => post_id === id);
    if (id === undefined) continue;
    if (!post) {
      found('lost', 'accepted, but not in the list');
      continue;
    }
    for (const platform of plan.platforms) {
      const destination = post.destinations.find((each: Json) => each.platform === platform);
      const live = evidence.live.filter(each => each.platform === platform && isOf(plan, each));
      const outcome = outcomeOf(destination, evidence.accountsMayBeLost);
      const cannotTell = (evidence.mayBeUnknown ?? CANNOT_RECONCILE).includes(platform);
      const isKnown = !cannotTell && !isCode2(destination);
      const isRefused = outcome === 'unknown' && isKnown && evidence.rejections.has(platform);
      const mayBeUnknown = !isKnown || isRefused;
      outcomes.set(`${platform} ${outcome}`, (outcomes.get(`${platform} ${outcome}`) ?? 0) + 1);
      if (outcome === 'rejected' || isRefused || isLinkRefused(destination))
        rejected.set(platform, [...(rejected.get(platform) ?? []), plan.key]);
      for (const [kind, detail] of [
        ...destinationProblems(plan, destination, live, outcome, mayBeUnknown),
        ...eventProblems(id, platform, destination, evidence.events),
      ]) {
        found(kind, `${platform}: ${detail}`);
      }
    }
  }
  for (const [platform, keys] of rejected) {
    const allowed = evidence.rejections.get(platform) ?? 0;
    if (keys.length > allowed) {
      const detail = `${platform}: ${keys.length} destinations failed, are unknown or have no link, but the platform rejected ${allowed}`;
      violations.push({ kind: 'lost', detail, key: keys[0] ?? null });
    }
  }
  return { violations, outcomes };
}

/** Returns whether a live post shows the text of a planned one. Platforms trim texts. */
export const isOf = ({ text, shown }: PostPlan, live: LivePost): boolean =>
  (live.text?.trim() ?? null) === (shown === undefined ? text : shown);

type Outcome = 'published' | 'unknown' | 'rejected' | 'account lost' | 'open';

function outcomeOf({ status, error }: Json, accountsMayBeLost = false): Outcome {
  if (status === 'published') return 'published';
  if (status !== 'failed') return 'open';
  if (error.code === 'DELIVERY_UNKNOWN') return 'unknown';
  return accountsMayBeLost && error.code === 'TOKEN_EXPIRED' ? 'account lost' : 'rejected';
}

function* destinationProblems(
  plan: PostPlan,
  destination: Json,
  live: readonly LivePost[],
  outcome: Outcome,
  mayBeUnknown: boolean,
): Generator<[Kind, string]> {
  if (live.length > 1) yield ['duplicate', `live ${live.length} times`];
  if (outcome === 'open') yield ['in flight', `still ${destination.status}`];
  if (outcome === 'unknown' && !mayBeUnknown) {
    yield ['inconsistent', `unknown, although the platform can be asked (live ${live.length} times)`];
  }
  if ((outcome === 'rejected' || outcome === 'account lost') && live.length > 0) {
    yield ['inconsistent', `failed (${destination.error.code}), but live`];
  }
  if (
    outcome === 'rejected' &&
    destination.error.category !== 'content' &&
    destination.error.category !== 'media' &&
    !isRefusedChunk(destination)
  ) {
    yield ['lost', `failed: ${JSON.stringify(destination.error)}`];
  }
  if (outcome !== 'published') return;
  const [post] = live;
  if (!post) {
    yield ['lost', 'recorded as published, but not live'];
    return;
  }
  if (post.platform_post_id !== destination.platform_post_id) {
    yield ['inconsistent', `its id is ${post.platform_post_id}, not ${destination.platform_post_id}`];
  }
  if (!isLinkRefused(destination) && !isUrlOf(post, destination.platform_post_url)) {
    yield ['inconsistent', `its URL is ${post.platform_post_url}, not ${destination.platform_post_url}`];
  }
  const files = filesShown(plan, destination.platform);
  // The thumbnail of a video is shown, too.
  const shown = post.media.filter(({ type }) => plan.post_type !== 'video' || type.startsWith('video/'));
  if (shown.length !== files) {
    yield ['inconsistent', `it has ${shown.length} files, not ${files}`];
  }
  yield* commentProblems(plan, destination, post);
}

/** TikTok's upload host gives no reason: a 400 means that the request itself is wrong, so that the service has failed. */
const isRefusedChunk = ({ platform, error }: Json) =>
  platform === 'tiktok' && error.message === 'Uploading the video: TikTok answered 400';

/** LinkedIn does not list comments to apps that may only post. */
const COMMENTS_UNREADABLE: readonly string[] = ['linkedin'];

function* commentProblems(
  { comment }: PostPlan,
  { platform, first_comment: recorded }: Json,
  post: LivePost,
): Generator<[Kind, string]> {
  if (comment === undefined) return;
  const count = post.comments.filter(({ text }) => text === comment).length;
  if (count > 1) yield ['duplicate', `commented ${count} times`];
  switch (recorded?.status) {
    case 'published':
      if (count === 0) yield ['lost', 'the comment is recorded as published, but not live'];
      return;
    case 'failed':
      if (recorded.error.code !== 'DELIVERY_UNKNOWN' || !COMMENTS_UNREADABLE.includes(platform)) {
        yield ['lost', `the comment failed: ${JSON.stringify(recorded.error)}`];
      }
      return;
    default:
      yield ['in flight', `the comment is ${recorded?.status}`];
  }
}

/** Google Business shows the text of a video in a post of its own. */
const filesShown = ({ post_type, media }: PostPlan, platform: string) =>
  platform === 'gbp' && post_type === 'video' ? 0 : media.length;

/** True where the platform rejected the request for the link of a live post. */
const isLinkRefused = ({ status, platform_post_url, follow_ups = [] }: Json) =>
  status === 'published' &&
  platform_post_url === null &&
  follow_ups.some((each: Json) => each.name === 'permalink' && each.status === 'failed');

/** A URL that ends with the id is stored where the platform did not tell its permalink. */
const isUrlOf = ({ platform_post_id, platform_post_url }: LivePost, url: string | null) =>
  url === platform_post_url || (url?.endsWith(`/${platform_post_id}`) ?? false);

/** Follow-ups that replace the id of the post, which the event has told. */
const AMENDING = ['text_post'];

function* eventProblems(
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
  const announced = mine.find(({ event }) => event === 'post.published')?.data;
  const isAmended = destination.follow_ups?.some((each: Json) => AMENDING.includes(each.name)) === true;
  if (announced && !isAmended && announced.platform_post_id !== destination.platform_post_id) {
    yield [
      'inconsistent',
      `the event says ${announced.platform_post_id}, the record ${destination.platform_post_id}`,
    ];
  }
}
