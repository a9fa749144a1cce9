import { announcedLimitOf, capReached, platformLimited } from '../../caps/errors.ts';
import {
  releaseAll,
  reservationsOf,
  reserveAll,
  withoutReservations,
  type CapReservation,
} from '../../caps/reserve.ts';
import type { ApiError } from '../../http/errors.ts';
import type { Post } from '../../model/post.ts';
import type { Connection } from '../../model/profile.ts';
import { describeError, log } from '../../runtime/log.ts';
import type { Services } from '../../runtime/services.ts';

/** Result of reserving the caps of a post's accounts. */
export type CapResult =
  | { type: 'reserved'; reservations: CapReservation[] }
  /** An account is over its cap until `frees_at` (epoch milliseconds); `error` is the 429 response. */
  | { type: 'over'; error: ApiError; frees_at: number };

/** Reserves the caps of a post at its due time, except those that its previous version holds already. */
export async function reserveCaps(
  services: Services,
  post: Post,
  previous: Post | null,
  connections: readonly Connection[],
): Promise<CapResult> {
  const now = services.now();
  const limited = announcedLimitOf(connections, post.due_at);
  if (limited) {
    const frees_at = limited.announced_limit?.resets_at ?? now;
    return { type: 'over', error: platformLimited(limited, now), frees_at };
  }
  const reservations = withoutReservations(reservationsOf(post), previous ? reservationsOf(previous) : []);
  const violations = await reserveAll(services, reservations);
  if (violations.length === 0) return { type: 'reserved', reservations };
  const frees_at = Math.max(...violations.map(violation => violation.frees_at));
  return { type: 'over', error: capReached(violations, services.now()), frees_at };
}

/**
 * Releases those of `reservations` that the stored post does not use; all of them where nothing was stored. A failure is
 * only logged: the post may be stored by now, and a reservation expires.
 */
export async function releaseUnused(
  { table }: Services,
  reservations: readonly CapReservation[],
  stored: Post | null,
): Promise<void> {
  const unused = stored ? withoutReservations(reservations, reservationsOf(stored)) : reservations;
  try {
    await releaseAll(table, unused);
  } catch (error) {
    log.warn('Could not release cap reservations', { post_id: unused[0]?.post_id, ...describeError(error) });
  }
}
