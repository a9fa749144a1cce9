import { idParam, route } from '../../shared/http/define-route.ts';
import { conflict, notFound } from '../../shared/http/errors.ts';
import { dropCopies } from '../../shared/media/copy-media.ts';
import { statusOf, type Post } from '../../shared/model/post.ts';
import { canBeCancelled, cancelPost } from '../../shared/posts/cancel.ts';
import { getPost } from '../../shared/store/posts.ts';

/** A publisher that moves the post in between settles the matter: at the second look it is not deletable any more. */
const LOOKS = 3;

export const deletePost = route({
  method: 'DELETE',
  path: '/posts/{id}',
  operation_id: 'deletePost',
  summary: 'Cancel a post that is not published',
  description:
    'Also a post that waits for another try, and one that has failed. A platform that is working on the post right now, or may have published it, makes the answer 409.',
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
      if (!canBeCancelled(post) || look > LOOKS) throw notDeletable(post);
      if (await cancelPost(services, post)) {
        await dropCopies(services, post);
        return { status: 204 };
      }
    }
  },
});

const notDeletable = (post: Post) =>
  conflict('The post is published or being published: it cannot be deleted any more', {
    code: 'POST_NOT_DELETABLE',
    status: statusOf(post),
  });
