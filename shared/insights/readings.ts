import type { DestinationOf } from '../model/destination.ts';
import type { DueReading } from '../model/insight.ts';
import type { Post } from '../model/post.ts';
import { INSIGHTS } from '../platforms/registry.ts';
import { putDueReading } from '../store/insights.ts';
import type { Table } from '../store/table.ts';
import { DAY, HOUR } from '../time/instant.ts';

/** Ages of a post at which its metrics are read. Few, since some platforms bill each read. */
const FIRST_AGE = HOUR;
const AGES = [FIRST_AGE, DAY, 7 * DAY];
/** A failed reading is retried after 1, 2, 4 … hours, at most this many times. */
const MAX_RETRIES = 6;

/** Stores the first due reading of a published post, where its platform reports metrics. */
export async function scheduleFirstReading(
  table: Table,
  { workspace_id, profile_id, post_id }: Post,
  { platform, social_account_id, platform_post_id, published_at }: DestinationOf<'published'>,
): Promise<void> {
  if (!INSIGHTS[platform]) return;
  const post = { post_id, platform, published_at, platform_post_id };
  const owner = { workspace_id, profile_id, account_id: social_account_id };
  await putDueReading(table, { ...owner, ...post, due_at: published_at + FIRST_AGE, index: 0, failures: 0 });
}

/** Returns the reading that follows; null after the last. Readings whose time has passed meanwhile are skipped. */
export function readingAfter(done: DueReading, now: number): DueReading | null {
  const next = AGES.findIndex((age, index) => index > done.index && done.published_at + age > now);
  const age = AGES[next];
  return age === undefined ? null : { ...done, index: next, due_at: done.published_at + age, failures: 0 };
}

/** Returns the same reading at a later time; null when its retries are used up. */
export function retryOf(failed: DueReading, now: number, retryAfterMs = 0): DueReading | null {
  if (failed.failures >= MAX_RETRIES) return null;
  const delay = Math.max(retryAfterMs, HOUR * 2 ** failed.failures);
  return { ...failed, due_at: now + delay, failures: failed.failures + 1 };
}
