import type { ApiError } from '../../http/errors.ts';
import type { Post } from '../../model/post.ts';
import type { Connection } from '../../model/profile.ts';
import type { Services } from '../../runtime/services.ts';
import { writePost } from '../store/write.ts';
import { releaseUnused, reserveCaps } from './caps.ts';

/** A post to store, with what its placement depends on. */
export interface Placement {
  post: Post;
  /** The version that it replaces; null for a new post. */
  previous: Post | null;
  connections: readonly Connection[];
}

export type StoreResult =
  | { type: 'stored'; post: Post }
  | { type: 'slot_taken' }
  | { type: 'over'; error: ApiError; frees_at: number };

/** Reserves caps, then stores. Reservations that the stored post does not use are released. */
export async function storeUnderCaps(
  services: Services,
  { post, previous, connections }: Placement,
): Promise<StoreResult> {
  const caps = await reserveCaps(services, post, previous, connections);
  if (caps.type === 'over') return caps;
  let stored: Post | null = null;
  try {
    stored = await writePost(services, previous, post);
  } finally {
    await releaseUnused(services, caps.reservations, stored);
  }
  return stored ? { type: 'stored', post: stored } : { type: 'slot_taken' };
}
