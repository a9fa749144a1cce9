import type { DefaultGridWarning } from '../../insights/best-time.ts';
import type { Services } from '../../runtime/services.ts';
import type { ValidPost } from '../validate/validate.ts';

/** Returns a post with `schedule_best_time` scheduled at the best time of its profile and platforms; any other post unchanged. */
export async function atBestTime(
  services: Services,
  valid: ValidPost,
): Promise<{ timed: ValidPost; warnings: DefaultGridWarning[] }> {
  const { candidate, profile } = valid;
  if (candidate.scheduling !== 'best_time') return { timed: valid, warnings: [] };
  // Only these posts need the library of time zones.
  const { defaultGridWarnings, findBestTime } = await import('../../insights/best-time.ts');
  const owner = { workspace_id: profile.workspace_id, profile_id: profile.id };
  const best = await findBestTime(services, owner, candidate.platforms);
  return {
    timed: { ...valid, candidate: { ...candidate, scheduled_at: best.next_at } },
    warnings: defaultGridWarnings(best),
  };
}
