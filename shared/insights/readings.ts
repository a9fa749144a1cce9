import type { DestinationOf } from '../model/destination.ts';
import type { DueReading } from '../model/insight.ts';
import type { Post } from '../model/post.ts';
import { INSIGHTS } from '../platforms/registry.ts';
import { putDueReading } from '../store/insights.ts';
import type { Table } from '../store/table.ts';
import { DAY, HOUR } from '../time/instant.ts';

/** Ages at which a post is looked at. Few, since some platforms bill each look. */
const FIRST_AGE = HOUR;
const AGES = [FIRST_AGE, DAY, 7 * DAY];
/** A look that fails is had again after an hour, then two, four … */
const MOST_FAULTS = 6;

/** Notes the first look at a post that went live, where its platform tells anything. */
export async function scheduleFirstReading(
  table: Table,
  { workspace_id, profile_id, post_id }: Post,
  { platform, social_account_id, platform_post_id, published_at }: DestinationOf<'published'>,
): Promise<void> {
  if (!INSIGHTS[platform]) return;
  const live = { post_id, platform, published_at, platform_post_id };
  const owner = { workspace_id, profile_id, account_id: social_account_id };
  await putDueReading(table, { ...owner, ...live, due_at: published_at + FIRST_AGE, look: 0, faults: 0 });
}

/** The look after one that was had; null after the last. One whose time has passed meanwhile is left out. */
export function readingAfter(look: DueReading, now: number): DueReading | null {
  const next = AGES.findIndex((age, index) => index > look.look && look.published_at + age > now);
  const age = AGES[next];
  return age === undefined ? null : { ...look, look: next, due_at: look.published_at + age, faults: 0 };
}

/** The same look at a later time; null when it has failed too often. */
export function scheduleNextReading(look: DueReading, now: number, retryAfterMs = 0): DueReading | null {
  if (look.faults >= MOST_FAULTS) return null;
  const wait = Math.max(retryAfterMs, HOUR * 2 ** look.faults);
  return { ...look, due_at: now + wait, faults: look.faults + 1 };
}
