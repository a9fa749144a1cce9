import * as v from 'valibot';
import { decodeCursor, encodeCursor, pageQuery } from '../../shared/http/cursor.ts';
import { route } from '../../shared/http/define-route.ts';
import { filteredPage, filterQuery, withProfile } from '../../shared/posts/store/list.ts';
import { postRecord } from '../../shared/posts/present/record.ts';
import { PostView } from '../../shared/posts/present/view.ts';

export const listPosts = route({
  method: 'GET',
  path: '/posts',
  operation_id: 'listPosts',
  summary: 'List posts, newest first',
  description:
    'A page may have fewer than `limit` posts although more follow, for example where posts are long: it ends at about 4 MB. Continue while `next_cursor` is not null.',
  tag: 'Posts',
  auth: 'key',
  query: { ...pageQuery, ...filterQuery },
  responses: {
    200: {
      description: 'A page of posts',
      schema: v.pipe(
        v.object({ data: v.array(PostView), next_cursor: v.nullable(v.string()) }),
        v.title('PostPage'),
      ),
    },
  },
  handler: async ({ query, principal }, services) => {
    const { limit, cursor, ...filter } = query;
    const ring = await services.keyRing();
    const scope = `posts:${principal.workspace_id}:${scopeOf(filter)}`;
    const before = decodeCursor(ring, scope, cursor);
    const { table } = services;
    const { workspace_id } = principal;
    const resolved = await withProfile(table, workspace_id, filter);
    const { posts, after } = await filteredPage(table, workspace_id, resolved, limit, before);
    return {
      status: 200,
      body: {
        data: posts.map(postRecord),
        next_cursor: after === null ? null : encodeCursor(ring, scope, after),
      },
    };
  },
});

/** Returns the filters as text, independent of their order: a cursor is valid only for the same filters. */
function scopeOf(filter: Record<string, unknown>): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return JSON.stringify(given.sort(([a], [b]) => a.localeCompare(b)));
}
