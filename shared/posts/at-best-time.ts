import { defaultGridWarnings, findBestTime } from '../insights/best-time.ts';
import type { Profile } from '../model/profile.ts';
import type { Services } from '../runtime/services.ts';
import type { CheckedPost } from './check.ts';
import type { Warning } from './warnings.ts';

/** A post at the best time of its profile and platforms, where it asks for that; any other as it is. */
export async function atBestTime(
  services: Services,
  post: CheckedPost,
  { workspace_id, id }: Profile,
): Promise<{ timed: CheckedPost; warnings: Warning[] }> {
  if (post.scheduling !== 'best_time') return { timed: post, warnings: [] };
  const best = await findBestTime(services, { workspace_id, profile_id: id }, post.platforms);
  return { timed: { ...post, scheduled_at: best.next_at }, warnings: defaultGridWarnings(best) };
}
