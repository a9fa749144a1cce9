import { idParam, route } from '../../shared/http/define-route.ts';
import { notFound } from '../../shared/http/errors.ts';
import { postRecord } from '../../shared/posts/present/record.ts';
import { getPost as readPost } from '../../shared/store/posts.ts';
import { PostView } from '../../shared/posts/present/view.ts';

export const getPost = route({
  method: 'GET',
  path: '/posts/{id}',
  operation_id: 'getPost',
  summary: 'Read a post and the status of its destinations',
  tag: 'Posts',
  auth: 'key',
  params: idParam,
  responses: { 200: { description: 'The post', schema: PostView }, 404: { description: 'Post not found' } },
  handler: async ({ params, principal }, services) => {
    const post = await readPost(services.table, principal.workspace_id, params.id);
    if (!post) throw notFound('Post');
    return { status: 200, body: postRecord(post) };
  },
});
