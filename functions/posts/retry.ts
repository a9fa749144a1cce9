import * as v from 'valibot';
import { idParam, route } from '../../shared/http/define-route.ts';
import { conflict, notFound } from '../../shared/http/errors.ts';
import { setAlarm } from '../../shared/delivery/schedule.ts';
import { firstLook } from '../../shared/delivery/timing.ts';
import { revived } from '../../shared/delivery/transitions.ts';
import type { Destination } from '../../shared/model/destination.ts';
import { destinationsOf, statusOf, type Post } from '../../shared/model/post.ts';
import { getPost, replacePost } from '../../shared/store/posts.ts';

export const retryPost = route({
  method: 'POST',
  path: '/posts/{id}/retry',
  operation_id: 'retryPost',
  summary: 'Try the failed destinations of a post again',
  tag: 'Posts',
  auth: 'key',
  params: idParam,
  responses: {
    202: {
      description: 'The failed destinations are on their way again',
      schema: v.object({ message: v.string(), post_id: v.string(), destinations_count: v.number() }),
    },
    404: { description: 'No such post' },
    409: { description: 'No destination has failed' },
  },
  handler: async ({ params, principal }, services) => {
    const post = await getPost(services.table, principal.workspace_id, params.id.toLowerCase());
    if (!post) throw notFound('Post');
    const next = withFailedRevived(post, services.now());
    const count = destinationsOf(post).filter(canBeRevived).length;
    if (count === 0 || !(await replacePost(services.table, post, next))) {
      throw conflict('No destination of the post has failed', {
        code: 'POST_NOT_RETRYABLE',
        status: statusOf(post),
      });
    }
    await setAlarm(services, next);
    return {
      status: 202,
      body: {
        message: 'The failed destinations are tried again',
        post_id: post.post_id,
        destinations_count: count,
      },
    };
  },
});

/** A failure whose events are still owed is settled first: what is owed for it would be forgotten. */
const canBeRevived = (destination: Destination) =>
  destination.status === 'failed' && destination.announce.length === 0;

function withFailedRevived(post: Post, now: number): Post {
  const destinations = destinationsOf(post).map(destination =>
    canBeRevived(destination) ? revived(destination, now) : destination,
  );
  return {
    ...post,
    destinations: Object.fromEntries(destinations.map(each => [each.platform, each])),
    updated_at: now,
    wake_at: firstLook(now, now),
  };
}
