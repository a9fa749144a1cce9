import type { LoadedAccount } from '../connections/load.ts';
import { loadFreshAccount, renewAccount } from '../connections/renew.ts';
import type { DueReading, FirstReadings, Metrics } from '../model/insight.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Connection } from '../model/profile.ts';
import type { HttpClient } from '../net/http.ts';
import { platformHttp } from '../net/platform-http.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import type { InsightsReader } from '../platforms/contract/insights.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { getConnection } from '../store/connections.ts';
import { deleteDue, listDue, putDue, putMetricsReading, type DueItem } from '../store/insights.ts';
import { getPosts } from '../store/posts.ts';
import { WAKE_SHARDS } from '../store/table.ts';
import { openFirstReadings, readingAfter, retryOf } from './readings.ts';

/** Most due items of one query. */
const PAGE = 500;

export interface ReadingRun {
  services: Services;
  /** Load the readers of the platforms that are measured. */
  readers: Readonly<Partial<Record<PlatformId, () => Promise<InsightsReader>>>>;
  http: HttpClient;
  /** False when no further call should start. */
  hasTime: () => boolean;
}

/** A reading that is made now. The first of a post has no item of its own. */
interface Reading {
  reading: DueReading;
  isStored: boolean;
}

/** The first readings of a post: those that are due now, and what is left of them after these. */
interface Opened {
  first: FirstReadings;
  due: readonly Reading[];
  rest: FirstReadings | null;
}

/**
 * Reads the metrics of all posts that are due, account by account, in batches as large as the platform allows. A reading
 * is stored before its due item is deleted: after a crash the next run repeats it, without harm. Returns the number of
 * due readings handled.
 */
export async function readDueMetrics(run: ReadingRun): Promise<number> {
  const shards = Array.from({ length: WAKE_SHARDS }, (_, shard) => shard);
  const counts = await Promise.all(shards.map(shard => readShard(run, shard)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function readShard(run: ReadingRun, shard: number): Promise<number> {
  const { services } = run;
  let count = 0;
  for (;;) {
    const page = await listDue(services.table, shard, services.now(), PAGE);
    const { readings, opened } = await open(run, page);
    const handled = new Set<Reading>();
    for (const [, due] of Map.groupBy(readings, accountAndTarget)) {
      for (const reading of await readAccount(run, due)) handled.add(reading);
    }
    await Promise.all(opened.map(each => replaceFirst(services, each, handled)));
    count += handled.size;
    if (page.length < PAGE || !run.hasTime()) return count;
  }
}

/** Returns the readings of a page, with those of posts whose first readings are due. */
async function open(
  { services }: ReadingRun,
  page: readonly DueItem[],
): Promise<{ readings: Reading[]; opened: Opened[] }> {
  const stored = page.flatMap(item => ('platform' in item ? [{ reading: item, isStored: true }] : []));
  const firsts = page.flatMap(item => ('platform' in item ? [] : [item]));
  const opened: Opened[] = [];
  for (const [workspaceId, own] of Map.groupBy(firsts, ({ workspace_id }) => workspace_id)) {
    const ids = own.map(({ post_id }) => post_id);
    const found = await getPosts(services.table, workspaceId, ids);
    const posts = new Map(found.map(post => [post.post_id, post]));
    for (const first of own) {
      const { due, rest } = await openFirstReadings(first, posts.get(first.post_id), services.now());
      opened.push({ first, due: due.map(reading => ({ reading, isStored: false })), rest });
    }
  }
  return { readings: [...stored, ...opened.flatMap(({ due }) => due)], opened };
}

/** Posts of a page are read with the page's secrets: one call reads posts of one account and target. */
const accountAndTarget = ({ reading: { account_id, target_id } }: Reading) =>
  `${account_id} ${target_id ?? ''}`;

/** Reads the posts of one account and target as long as there is time. Returns the readings that were made or dropped. */
async function readAccount(run: ReadingRun, due: readonly Reading[]): Promise<readonly Reading[]> {
  const [first] = due;
  if (!first || !run.hasTime()) return [];
  const { workspace_id, profile_id, platform, account_id } = first.reading;
  const { table } = run.services;
  const reader = await run.readers[platform]?.();
  const connection = await getConnection(table, workspace_id, profile_id, platform);
  if (!reader || connection?.id !== account_id) {
    // The account was disconnected or replaced: its posts can no longer be read.
    await Promise.all(due.map(each => replaceReading(run.services, each, null)));
    return due;
  }
  let end = 0;
  for (; end < due.length && run.hasTime(); end += reader.batch) {
    await readBatch(run, reader, connection, due.slice(end, end + reader.batch));
  }
  return due.slice(0, end);
}

async function readBatch(
  run: ReadingRun,
  reader: InsightsReader,
  connection: Connection,
  due: readonly Reading[],
): Promise<void> {
  try {
    const readings = due.map(({ reading }) => reading);
    const found = await fetchMetrics(run, reader, connection, readings);
    await Promise.all(
      due.map(each => storeReading(run.services, each, found.get(each.reading.platform_post_id))),
    );
  } catch (error) {
    const { platform } = connection;
    log.warn('Could not read metrics', { platform, posts: due.length, ...describeError(error) });
    const delay = error instanceof PlatformError ? error.retryAfterMs : undefined;
    const now = run.services.now();
    await Promise.all(due.map(each => replaceReading(run.services, each, retryOf(each.reading, now, delay))));
  }
}

/** Reads with the account's credentials; when they are refused, renews them and reads once more. */
async function fetchMetrics(
  { services, http }: ReadingRun,
  reader: InsightsReader,
  connection: Connection,
  due: readonly DueReading[],
): Promise<ReadonlyMap<string, Metrics>> {
  const { platform_user_id, username, attributes } = connection;
  const ids = due.map(({ platform_post_id }) => platform_post_id);
  const targetId = due[0]?.target_id ?? connection.default_target_id ?? null;
  const loaded: { account: LoadedAccount | null } = { account: null };
  const context = {
    http: platformHttp(connection.platform, http),
    account: { platform_user_id, username, attributes },
    authorize: async () => (loaded.account ??= await loadFreshAccount(services, connection, targetId)),
    now: services.now,
  };
  try {
    return await reader.read(context, ids);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'token_expired' || !loaded.account) throw error;
    loaded.account = await renewAccount(services, loaded.account, error);
    return reader.read(context, ids);
  }
}

/** A post without metrics was deleted at the platform: it is not read again. */
async function storeReading(services: Services, due: Reading, metrics: Metrics | undefined): Promise<void> {
  const { post_id, platform, published_at, workspace_id, profile_id } = due.reading;
  const now = services.now();
  if (metrics) {
    const reading = { post_id, platform, published_at, ...metrics, measured_at: now };
    await putMetricsReading(services.table, workspace_id, profile_id, reading);
  }
  await replaceReading(services, due, metrics ? readingAfter(due.reading, now) : null);
}

/** What could not be handled in time stays due. */
async function replaceFirst(
  services: Services,
  { first, due, rest }: Opened,
  handled: ReadonlySet<Reading>,
): Promise<void> {
  const left = due.filter(each => !handled.has(each)).map(({ reading }) => reading.platform);
  if (left.length === 0) return replace(services, first, rest);
  await putDue(services.table, { ...first, platforms: [...left, ...(rest?.platforms ?? [])] });
}

/** Stores the next due reading before the present one is deleted. */
async function replaceReading(services: Services, due: Reading, next: DueReading | null): Promise<void> {
  if (due.isStored) await replace(services, due.reading, next);
  else if (next) await putDue(services.table, next);
}

async function replace({ table }: Services, from: DueItem, to: DueItem | null): Promise<void> {
  if (to) await putDue(table, to);
  await deleteDue(table, from);
}
