import { renewAccount, usableAccount, type OpenAccount } from '../connections/credentials.ts';
import type { DueReading, Metrics } from '../model/insight.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Connection } from '../model/profile.ts';
import type { HttpClient } from '../net/http.ts';
import { platformHttp } from '../net/platform-http.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import type { InsightsReader } from '../platforms/contract/insights.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { getConnection } from '../store/connections.ts';
import { deleteDueReading, listDueReadings, putDueReading, putMetricsReading } from '../store/insights.ts';
import { WAKE_SHARDS } from '../store/table.ts';
import { readingAfter, scheduleNextReading } from './readings.ts';

/** Most looks that are read from the table at once. */
const PAGE = 500;

export interface GatherRun {
  services: Services;
  readers: Readonly<Partial<Record<PlatformId, InsightsReader>>>;
  http: HttpClient;
  /** False when no further call should begin. */
  hasTime: () => boolean;
}

/**
 * Looks at the posts whose time has come, account by account, as many in a call as the platform allows. What was had is
 * stored before its note goes: a run that dies is repeated in part, and does no harm. Gives the number of posts.
 */
export async function gatherInsights(run: GatherRun): Promise<number> {
  const shards = Array.from({ length: WAKE_SHARDS }, (_, shard) => shard);
  const counts = await Promise.all(shards.map(shard => gatherShard(run, shard)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function gatherShard(run: GatherRun, shard: number): Promise<number> {
  const { services } = run;
  let count = 0;
  for (;;) {
    const looks = await listDueReadings(services.table, shard, services.now(), PAGE);
    for (const [, own] of Map.groupBy(looks, ({ account_id }) => account_id)) {
      if (!run.hasTime()) return count;
      await lookAtAccount(run, own);
      count += own.length;
    }
    if (looks.length < PAGE) return count;
  }
}

async function lookAtAccount(run: GatherRun, looks: readonly DueReading[]): Promise<void> {
  const [first] = looks;
  if (!first) return;
  const { workspace_id, profile_id, platform, account_id } = first;
  const { table } = run.services;
  const reader = run.readers[platform];
  const connection = await getConnection(table, workspace_id, profile_id, platform);
  if (!reader || connection?.id !== account_id) {
    // The account is gone, and its posts with it.
    await Promise.all(looks.map(look => deleteDueReading(table, look)));
    return;
  }
  for (let start = 0; start < looks.length && run.hasTime(); start += reader.batch) {
    await lookAtPosts(run, reader, connection, looks.slice(start, start + reader.batch));
  }
}

async function lookAtPosts(
  run: GatherRun,
  reader: InsightsReader,
  connection: Connection,
  looks: readonly DueReading[],
): Promise<void> {
  try {
    const ids = looks.map(({ platform_post_id }) => platform_post_id);
    const found = await readMetrics(run, reader, connection, ids);
    await Promise.all(looks.map(look => keep(run.services, look, found.get(look.platform_post_id))));
  } catch (error) {
    const { platform } = connection;
    log.warn('Posts could not be looked at', { platform, posts: looks.length, ...describeError(error) });
    const wait = error instanceof PlatformError ? error.retryAfterMs : undefined;
    const now = run.services.now();
    await Promise.all(looks.map(look => replace(run.services, look, scheduleNextReading(look, now, wait))));
  }
}

/** Reads with the account's credentials; where these are refused, once more with renewed ones. */
async function readMetrics(
  { services, http }: GatherRun,
  reader: InsightsReader,
  connection: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Metrics>> {
  const opened: { account: OpenAccount | null } = { account: null };
  const context = {
    http: platformHttp(connection.platform, http),
    credentials: async () => (opened.account ??= await usableAccount(services, connection)).credentials,
    now: services.now,
  };
  try {
    return await reader.read(context, ids);
  } catch (error) {
    const isExpired = error instanceof PlatformError && error.kind === 'token_expired';
    if (!isExpired || !opened.account) throw error;
    opened.account = await renewAccount(services, opened.account);
    return reader.read(context, ids);
  }
}

/** A post that is not there any more is not looked at again. */
async function keep(services: Services, look: DueReading, metrics: Metrics | undefined): Promise<void> {
  const { post_id, platform, published_at, workspace_id, profile_id } = look;
  const now = services.now();
  if (metrics) {
    const measurement = { post_id, platform, published_at, ...metrics, measured_at: now };
    await putMetricsReading(services.table, workspace_id, profile_id, measurement);
  }
  await replace(services, look, metrics ? readingAfter(look, now) : null);
}

/** The next look is noted before the present one is crossed out. */
async function replace({ table }: Services, look: DueReading, next: DueReading | null): Promise<void> {
  if (next) await putDueReading(table, next);
  await deleteDueReading(table, look);
}
