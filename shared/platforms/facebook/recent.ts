import * as v from 'valibot';
import { isGraphError } from '../families/meta/errors.ts';
import { GraphId } from '../families/meta/json.ts';
import { absoluteUrl, type PageClient } from './client.ts';

/* What a Page published lately: the evidence for a commit whose response was lost. */

const MAX_POSTS = '25';

const TargetSchema = v.object({ target: v.optional(v.object({ id: v.optional(GraphId) })) });
const AttachmentSchema = v.object({
  ...TargetSchema.entries,
  subattachments: v.optional(v.object({ data: v.array(TargetSchema) })),
});

const PostsSchema = v.object({
  data: v.array(
    v.object({
      id: GraphId,
      message: v.optional(v.string(), ''),
      created_time: v.string(),
      permalink_url: v.optional(v.string()),
      attachments: v.optional(v.object({ data: v.array(AttachmentSchema) })),
    }),
  ),
});

/** A live post of the Page. */
export interface RecentPost {
  id: string;
  text: string;
  /** Epoch milliseconds; Facebook tells whole seconds. */
  createdAt: number;
  url: string | null;
  /** Ids of its photos or of its video. */
  mediaIds: string[];
}

/** Returns the newest posts of the Page. Needs the permission `pages_read_user_content`. */
export async function recentPosts({ graph, id }: PageClient): Promise<RecentPost[]> {
  const { data } = await graph.call(
    {
      what: 'Reading the posts of the Page',
      purpose: 'read',
      method: 'GET',
      path: `/${id}/published_posts`,
      query: {
        fields: 'id,message,created_time,permalink_url,attachments{target,subattachments{target}}',
        limit: MAX_POSTS,
      },
    },
    PostsSchema,
  );
  return data.map(({ id: postId, message, created_time, permalink_url, attachments }) => ({
    id: postId,
    text: message,
    createdAt: Date.parse(created_time),
    url: absoluteUrl(permalink_url ?? null),
    mediaIds: (attachments?.data ?? [])
      .flatMap(attachment => [attachment, ...(attachment.subattachments?.data ?? [])])
      .flatMap(({ target }) => target?.id ?? []),
  }));
}

const VideosSchema = v.object({
  data: v.array(v.object({ id: GraphId, description: v.optional(v.string(), ''), created_time: v.string() })),
});

/** Returns the newest videos of the Page; null where Facebook does not list them. */
export async function recentVideos({ graph, id }: PageClient): Promise<RecentPost[] | null> {
  try {
    const { data } = await graph.call(
      {
        what: 'Reading the videos of the Page',
        purpose: 'read',
        method: 'GET',
        path: `/${id}/videos`,
        query: { type: 'uploaded', fields: 'id,description,created_time', limit: MAX_POSTS },
      },
      VideosSchema,
    );
    return data.map(({ id: videoId, description, created_time }) => ({
      id: videoId,
      text: description,
      createdAt: Date.parse(created_time),
      url: null,
      mediaIds: [videoId],
    }));
  } catch (error) {
    if (isGraphError(error, 100)) return null;
    throw error;
  }
}
