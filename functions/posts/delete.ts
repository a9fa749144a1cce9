import { idParam, route } from '../../shared/http/define-route.ts';
import { conflict, notFound } from '../../shared/http/errors.ts';
import { statusOf, type Post } from '../../shared/model/post.ts';
import { deleteUnpublished, isUnpublished } from '../../shared/posts/store/cancel.ts';
import { getPost } from '../../shared/store/posts.ts';

/** A post that changes between read and delete is read again: a publisher may have started meanwhile. */
const ATTEMPTS = 3;

export const deletePost = route({
  method: 'DELETE',
  path: '/posts/{id}',
  operation_id: 'deletePost',
  summary: 'Cancel a post that is not published',
  description:
    'Also cancels a post that waits for a retry and deletes a failed or cancelled one, even if the failed one may be live (`DELIVERY_UNKNOWN`). Answers 409 while the post is being published and where it is published.',
  tag: 'Posts',
  auth: 'key',
  params: idParam,
  responses: {
    204: { description: 'The post is deleted and will not be published' },
    404: { description: 'Post not found' },
    409: { description: 'The post is published or being published', codes: ['POST_NOT_DELETABLE'] },
  },
  handler: async ({ params, principal }, services) => {
    for (let attempt = 1; ; attempt += 1) {
      const post = await getPost(services.table, principal.workspace_id, params.id);
      if (!post) throw notFound('Post');
      if (!isUnpublished(post) || attempt > ATTEMPTS) throw notDeletable(post);
      if (await deleteUnpublished(services, post)) return { status: 204 };
    }
  },
});

const notDeletable = (post: Post) =>
  conflict('The post is published or being published and can no longer be deleted', {
    code: 'POST_NOT_DELETABLE',
    status: statusOf(post),
  });
