import type { PlatformId } from '../model/platform.ts';
import { INSIGHTS } from '../platforms/registry.ts';
import type { Services } from '../runtime/services.ts';
import { listMetricsReadings } from '../store/insights.ts';
import { getQueue } from '../store/queue.ts';
import { DAY } from '../time/instant.ts';
import { bestCells, DEFAULT_GRID, ENOUGH_POSTS, gridOf, nextOccurrence, type Cell } from './grid.ts';

/** Posts that are older say nothing. */
export const WINDOW_DAYS = 90;

export interface BestTime {
  /** Zone of the profile's queue, by whose clocks hours are counted. */
  timezone: string;
  grid: readonly Cell[];
  /** Posts that the grid stands on; one on two platforms counts twice. */
  measured_posts: number;
  /** Too few posts were measured: the default grid serves. */
  is_default: boolean;
  /** When the best hour of the week begins next, epoch milliseconds. */
  next_at: number;
}

export interface DefaultGridWarning {
  code: 'DEFAULT_GRID';
  message: string;
}

/** The best hours of a profile's week on some platforms, by what its posts of 90 days found. */
export async function findBestTime(
  { table, now }: Services,
  profile: { workspace_id: string; profile_id: string },
  platforms: readonly PlatformId[],
): Promise<BestTime> {
  const { workspace_id, profile_id } = profile;
  const since = now() - WINDOW_DAYS * DAY;
  const telling = platforms.filter(platform => INSIGHTS[platform]);
  const [queue, ...found] = await Promise.all([
    getQueue(table, workspace_id, profile_id),
    ...telling.map(platform => listMetricsReadings(table, workspace_id, profile_id, platform, since)),
  ]);
  const { timezone } = queue.settings;
  const measurements = found.flat();
  const is_default = measurements.length < ENOUGH_POSTS;
  const grid = is_default ? DEFAULT_GRID : gridOf(measurements, timezone);
  const next_at = nextOccurrence(bestCells(grid), timezone, now());
  return { timezone, grid, measured_posts: measurements.length, is_default, next_at };
}

export function defaultGridWarnings({ is_default, measured_posts }: BestTime): DefaultGridWarning[] {
  if (!is_default) return [];
  const message = `Only ${measured_posts} posts of ${WINDOW_DAYS} days are measured, fewer than ${ENOUGH_POSTS}: the default grid serves`;
  return [{ code: 'DEFAULT_GRID', message }];
}
