import type { InsightsReader } from '../contract/insights.ts';
import { valueOf, getPostCounts } from './client.ts';

/** The public AppView needs no credentials. It counts no views; deleted posts are missing. */
const APPVIEW = 'https://public.api.bsky.app';

export const insights: InsightsReader = {
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
};
