import { defineInsights } from '../contract/insights.ts';
import { getPostCounts, valueOf } from './client.ts';
import { CredentialsSchema } from './credentials.ts';

/** The public AppView needs no credentials. It counts no views; deleted posts are missing. */
const APPVIEW = 'https://public.api.bsky.app';

export const insights = defineInsights({
  credentials: CredentialsSchema,
  batch: 25,
  read: async ({ http }, uris) => {
    const { posts } = valueOf(await getPostCounts({ http, url: APPVIEW }, uris));
    return new Map(
      posts.map(({ uri, likeCount, replyCount, repostCount, quoteCount }) => [
        uri,
        { likes: likeCount, comments: replyCount, shares: repostCount + quoteCount, views: null },
      ]),
    );
  },
});
