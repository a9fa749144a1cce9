import { targetIdOf } from '../connections/target-choice.ts';
import { isSettled, type Destination, type DestinationOf } from '../model/destination.ts';
import type { DueReading, FirstReadings } from '../model/insight.ts';
import type { PlatformId } from '../model/platform.ts';
import { destinationsOf, type Post } from '../model/post.ts';
import { LOAD_RULES } from '../platforms/registry/load-rules.ts';
import { BASICS } from '../platforms/registry/basics.ts';
import { putDue } from '../store/insights.ts';
import type { Table } from '../store/table.ts';
import { HOUR, MINUTE } from '../time/instant.ts';

/** A failed reading is retried after 1, 2, 4 … hours, at most this many times. */
const MAX_RETRIES = 6;

const agesOf = (platform: PlatformId) => BASICS[platform].reading_ages_ms ?? [];
const firstAge = (platform: PlatformId): number | null => agesOf(platform)[0] ?? null;

/** The first readings of a post may be opened when they are due: what goes live from a minute before stores its own. */
const OPENING_MS = MINUTE;

/**
 * Stores the first readings of a post, where its platforms report metrics. One item stands for all of its destinations: the
 * one that was settled first stores it, and at worst another does the same again. A late one has an item of its own.
 */
export async function scheduleFirstReadings(
  table: Table,
  post: Post,
  settled: DestinationOf<'published'>,
): Promise<void> {
  const first = firstReadingsOf(post);
  if (first === null) return;
  if (settled.changed_at > first.due_at - OPENING_MS) {
    const age = firstAge(settled.platform);
    if (age !== null) await putDue(table, await firstReading(post, settled, settled.published_at + age));
  } else if (!destinationsOf(post).some(other => isSettledBefore(other, settled))) {
    await putDue(table, first);
  }
}

function firstReadingsOf(post: Post): FirstReadings | null {
  const ages = destinationsOf(post).flatMap(({ platform }) => {
    const age = firstAge(platform);
    return age === null ? [] : [{ platform, age }];
  });
  if (ages.length === 0) return null;
  const { workspace_id, profile_id, post_id } = post;
  return {
    workspace_id,
    profile_id,
    post_id,
    platforms: ages.map(({ platform }) => platform),
    due_at: post.due_at + Math.min(...ages.map(({ age }) => age)),
  };
}

/** The name decides between destinations of the same millisecond. */
const isSettledBefore = (other: Destination, { changed_at, platform }: Destination) =>
  other.status === 'published' &&
  isSettled(other) &&
  (other.changed_at < changed_at || (other.changed_at === changed_at && other.platform < platform));

export interface OpenedReadings {
  /** Readings that are due now. */
  due: DueReading[];
  /** What is left of the first readings: those of destinations that are not live long enough. */
  rest: FirstReadings | null;
}

/**
 * Opens the first readings of a post, which is undefined when it no longer exists. What is not live yet stores its own when it
 * is. `now`: epoch milliseconds.
 */
export async function openFirstReadings(
  first: FirstReadings,
  post: Post | undefined,
  now: number,
): Promise<OpenedReadings> {
  const due: DueReading[] = [];
  const later: { platform: PlatformId; at: number }[] = [];
  for (const platform of first.platforms) {
    const destination = post?.destinations[platform];
    if (!post || destination?.status !== 'published') continue;
    const at = destination.published_at + (firstAge(platform) ?? 0);
    if (at <= now) due.push(await firstReading(post, destination, at));
    else later.push({ platform, at });
  }
  const rest =
    later.length === 0
      ? null
      : {
          ...first,
          platforms: later.map(({ platform }) => platform),
          due_at: Math.min(...later.map(({ at }) => at)),
        };
  return { due, rest };
}

async function firstReading(
  post: Post,
  { platform, social_account_id, platform_post_id, published_at }: DestinationOf<'published'>,
  due_at: number,
): Promise<DueReading> {
  const { workspace_id, profile_id, post_id } = post;
  const [rules, { draftFor }] = await Promise.all([
    LOAD_RULES[platform](),
    import('../platforms/kit/draft.ts'),
  ]);
  const { options } = draftFor(rules, post).draft;
  return {
    workspace_id,
    profile_id,
    account_id: social_account_id,
    target_id: targetIdOf({ platform }, options),
    post_id,
    platform,
    platform_post_id,
    published_at,
    due_at,
    index: 0,
    failures: 0,
  };
}

/** Returns the reading that follows; null after the last. Readings whose time has passed meanwhile are skipped. */
export function readingAfter(done: DueReading, now: number): DueReading | null {
  const ages = agesOf(done.platform);
  const next = ages.findIndex((age, index) => index > done.index && done.published_at + age > now);
  const age = ages[next];
  return age === undefined ? null : { ...done, index: next, due_at: done.published_at + age, failures: 0 };
}

/** Returns the same reading at a later time; null when its retries are used up. */
export function retryOf(failed: DueReading, now: number, retryAfterMs = 0): DueReading | null {
  if (failed.failures >= MAX_RETRIES) return null;
  const delay = Math.max(retryAfterMs, HOUR * 2 ** failed.failures);
  return { ...failed, due_at: now + delay, failures: failed.failures + 1 };
}
