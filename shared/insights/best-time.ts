import type { PlatformId } from '../model/platform.ts';
import { BASICS } from '../platforms/registry/basics.ts';
import type { Services } from '../runtime/services.ts';
import { listMetricsReadings } from '../store/insights.ts';
import { getQueue } from '../store/queue.ts';
import { DAY } from '../time/instant.ts';
import { bestCells, DEFAULT_GRID, ENOUGH_POSTS, gridOf, nextOccurrence, type Cell } from './grid.ts';

/** Older posts are not counted. */
const WINDOW_DAYS = 90;

export interface BestTime {
  /** Time zone of the profile's queue, in which weekday and hour are counted. */
  timezone: string;
  grid: readonly Cell[];
  /** The hours of the grid with the highest engagement. */
  best: readonly Cell[];
  /** Days of posts that the grid is made of. */
  window_days: number;
  /** Number of readings behind the grid: a post on two platforms counts twice. */
  measured_posts: number;
  /** True when too few posts were measured and the default grid is used. */
  is_default: boolean;
  /** Next start of a best hour, epoch milliseconds. */
  next_at: number;
}

export interface DefaultGridWarning {
  code: 'DEFAULT_GRID';
  message: string;
}

/** Finds the best hours of the week of a profile on some platforms, by the engagement of its posts of 90 days. */
export async function findBestTime(
  { table, now }: Services,
  profile: { workspace_id: string; profile_id: string },
  platforms: readonly PlatformId[],
): Promise<BestTime> {
  const { workspace_id, profile_id } = profile;
  const since = now() - WINDOW_DAYS * DAY;
  const measured = platforms.filter(platform => BASICS[platform].reading_ages_ms);
  const [queue, ...found] = await Promise.all([
    getQueue(table, workspace_id, profile_id),
    ...measured.map(platform => listMetricsReadings(table, workspace_id, profile_id, platform, since)),
  ]);
  const { timezone } = queue.settings;
  const readings = found.flat();
  const is_default = readings.length < ENOUGH_POSTS;
  const grid = is_default ? DEFAULT_GRID : gridOf(readings, timezone);
  const best = bestCells(grid);
  const next_at = nextOccurrence(best, timezone, now());
  return {
    timezone,
    grid,
    best,
    window_days: WINDOW_DAYS,
    measured_posts: readings.length,
    is_default,
    next_at,
  };
}

export function defaultGridWarnings({ is_default, measured_posts }: BestTime): DefaultGridWarning[] {
  if (!is_default) return [];
  const message = `The default grid was used: only ${measured_posts} posts of the last ${WINDOW_DAYS} days have metrics, ${ENOUGH_POSTS} are needed`;
  return [{ code: 'DEFAULT_GRID', message }];
}
