import { targetIdOf } from '../connections/target-choice.ts';
import type { DestinationOf } from '../model/destination.ts';
import type { DueReading } from '../model/insight.ts';
import type { Post } from '../model/post.ts';
import { draftFor } from '../platforms/kit/draft.ts';
import { INSIGHTS, RULES } from '../platforms/registry.ts';
import { putDueReading } from '../store/insights.ts';
import type { Table } from '../store/table.ts';
import { HOUR } from '../time/instant.ts';

/** A failed reading is retried after 1, 2, 4 … hours, at most this many times. */
const MAX_RETRIES = 6;

/** Stores the first due reading of a published post, where its platform reports metrics. */
export async function scheduleFirstReading(
  table: Table,
  post: Post,
  { platform, social_account_id, platform_post_id, published_at }: DestinationOf<'published'>,
): Promise<void> {
  const firstAge = INSIGHTS[platform]?.ages_ms[0];
  if (firstAge === undefined) return;
  const { workspace_id, profile_id, post_id } = post;
  const { options } = draftFor(RULES[platform], post).draft;
  await putDueReading(table, {
    workspace_id,
    profile_id,
    account_id: social_account_id,
    target_id: targetIdOf({ platform }, options),
    post_id,
    platform,
    platform_post_id,
    published_at,
    due_at: published_at + firstAge,
    index: 0,
    failures: 0,
  });
}

/** Returns the reading that follows; null after the last. Readings whose time has passed meanwhile are skipped. */
export function readingAfter(done: DueReading, ages: readonly number[], now: number): DueReading | null {
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
