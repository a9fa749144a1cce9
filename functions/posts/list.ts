import { decodeCursor, encodeCursor, pageQuery } from '../../shared/http/cursor.ts';
import { route } from '../../shared/http/define-route.ts';
import { postRecord } from '../../shared/posts/record.ts';
import { listPosts as readPosts } from '../../shared/store/posts.ts';

export const listPosts = route({
  method: 'GET',
  path: '/posts',
  summary: 'List posts, newest first',
  tag: 'Posts',
  auth: 'key',
  query: pageQuery,
  responses: { 200: { description: 'A page of posts' } },
  handler: async ({ query, principal }, services) => {
    const ring = await services.keyRing();
    const scope = `posts:${principal.workspace_id}`;
    const after = decodeCursor(ring, scope, query.cursor);
    const { posts, more } = await readPosts(services.table, principal.workspace_id, query.limit, after);
    const last = posts.at(-1);
    return {
      status: 200,
      body: {
        data: posts.map(postRecord),
        next_cursor: more && last ? encodeCursor(ring, scope, last.post_id) : null,
      },
    };
  },
});
