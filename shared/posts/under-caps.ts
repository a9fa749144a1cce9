import { announcedLimitOf, capReached, platformLimited } from '../caps/answers.ts';
import {
  reservationsOf,
  releaseAll,
  reserveAll,
  withoutReservations,
  type CapReservation,
} from '../caps/reserve.ts';
import type { ApiError } from '../http/errors.ts';
import type { Post } from '../model/post.ts';
import type { Connection } from '../model/profile.ts';
import type { Services } from '../runtime/services.ts';

/** A post that asks to be let in. */
export interface Application {
  post: Post;
  /** The accounts that it goes to. */
  connections: readonly Connection[];
  /** Stores the post; gives what is stored then, or null when another post took its place in the queue. */
  store: (post: Post) => Promise<Post | null>;
  /** Places under caps that an earlier version of the post holds; they stay its own whatever happens. */
  held: readonly CapReservation[];
}

/** What keeps a post from its time. */
export interface Hurdle {
  /** 429, for those who want no other time. */
  answer: ApiError;
  /** When it is gone, epoch milliseconds. */
  ends_at: number;
}

/**
 * Takes the places of a post under the caps of its time, and stores it. Where it does not come to that, or what is
 * stored is at another time, the places are given back.
 */
export async function storeUnderCaps(
  services: Services,
  { post, connections, store, held }: Application,
): Promise<{ stored: Post | null; hurdle: Hurdle | null }> {
  const limited = announcedLimitOf(connections, post.due_at);
  if (limited) return { hurdle: announced(limited, services.now()), stored: null };
  const reservations = withoutReservations(reservationsOf(post), held);
  const violations = await reserveAll(services, reservations);
  if (violations.length > 0) {
    const ends_at = Math.max(...violations.map(({ frees_at }) => frees_at));
    return { hurdle: { answer: capReached(violations, services.now()), ends_at }, stored: null };
  }
  let stored: Post | null = null;
  try {
    stored = await store(post);
  } finally {
    await releaseAll(
      services.table,
      stored ? withoutReservations(reservations, reservationsOf(stored)) : reservations,
    );
  }
  return { stored, hurdle: null };
}

const announced = (connection: Connection, now: number): Hurdle => ({
  answer: platformLimited(connection, now),
  ends_at: connection.announced_limit?.resets_at ?? now,
});
