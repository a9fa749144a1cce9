import { isFinal, type Destination } from '../model/destination.ts';
import type { ServiceEvent } from '../model/event.ts';
import { derivedId } from '../model/id.ts';
import { destinationsOf, statusOf, type Post } from '../model/post.ts';
import { toIso } from '../time/instant.ts';

/**
 * Builds post.completed, or returns null while a destination is not final, and for a cancelled post. The id is derived from the state of all
 * destinations: a repetition has the same id, and a retry of failed destinations leads to another event.
 */
export function completedEvent(post: Post): ServiceEvent | null {
  const destinations = destinationsOf(post);
  if (destinations.length === 0 || !destinations.every(isFinal)) return null;
  if (statusOf(post) === 'cancelled') return null;
  const states = destinations.map(({ platform, status, attempts }) => `${platform} ${status} ${attempts}`);
  const completedAt = toIso(Math.max(...destinations.map(({ changed_at }) => changed_at)));
  const count = (status: Destination['status']) => destinations.filter(each => each.status === status).length;
  return {
    event: 'post.completed',
    id: derivedId(post.post_id, 'post.completed', ...states),
    timestamp: completedAt,
    data: {
      post_id: post.post_id,
      profile_name: post.profile_name,
      status: statusOf(post),
      scheduled_at: toIso(post.due_at),
      completed_at: completedAt,
      counts: { total: destinations.length, published: count('published'), failed: count('failed') },
      destinations: destinations.map(destination => ({
        platform: destination.platform,
        status: destination.status,
        error:
          destination.status === 'failed'
            ? { code: destination.error.code, message: destination.error.message }
            : null,
      })),
    },
  };
}
