import { idParam, route } from '../../shared/http/define-route.ts';
import { conflict, notFound } from '../../shared/http/errors.ts';
import { statusOf, type PostStatus } from '../../shared/model/post.ts';
import { cancelPost } from '../../shared/posts/cancel.ts';
import { getPost } from '../../shared/store/posts.ts';

/** Statuses in which nothing of a post is live or on its way. */
const DELETABLE: readonly PostStatus[] = ['scheduled', 'queued', 'failed'];

/** A publisher that moves the post in between settles the matter: at the second look it is not deletable any more. */
const LOOKS = 3;

export const deletePost = route({
  method: 'DELETE',
  path: '/posts/{id}',
  operation_id: 'deletePost',
  summary: 'Cancel a post that is not published',
  tag: 'Posts',
  auth: 'key',
  params: idParam,
  responses: {
    204: { description: 'The post is gone and will not be published' },
    404: { description: 'No such post' },
    409: { description: 'The post is published, or being published right now' },
  },
  handler: async ({ params, principal }, services) => {
    for (let look = 1; ; look += 1) {
      const post = await getPost(services.table, principal.workspace_id, params.id.toLowerCase());
      if (!post) throw notFound('Post');
      const status = statusOf(post);
      if (!DELETABLE.includes(status) || look > LOOKS) {
        throw conflict('The post is published or being published', { code: 'POST_NOT_DELETABLE', status });
      }
      if (await cancelPost(services, post)) return { status: 204 };
    }
  },
});
