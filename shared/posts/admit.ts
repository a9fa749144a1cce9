import { announcedLimitOf, capReached, platformLimited } from '../caps/answers.ts';
import { claimsOf, releaseAll, reserveAll, withoutClaims, type Claim } from '../caps/reserve.ts';
import type { Post } from '../model/post.ts';
import type { Connection } from '../model/profile.ts';
import type { Services } from '../runtime/services.ts';

/**
 * Lets a post in that has no fault, or says why not now: a limit that a platform announced (429), a daily cap (429).
 * Afterwards the post holds its places under the caps; `store` runs with them, and gives them back when it fails.
 * `held`: places that an earlier version of the post holds; they stay its own whatever happens here.
 */
export async function admit<T>(
  services: Services,
  post: Post,
  connections: readonly Connection[],
  store: () => Promise<T>,
  held: readonly Claim[] = [],
): Promise<T> {
  const limited = announcedLimitOf(connections, post.due_at);
  if (limited) throw platformLimited(limited, services.now());

  const claims = withoutClaims(claimsOf(post), held);
  const refusals = await reserveAll(services, claims);
  if (refusals.length > 0) throw capReached(refusals, services.now());
  try {
    return await store();
  } catch (error) {
    await releaseAll(services.table, claims);
    throw error;
  }
}
