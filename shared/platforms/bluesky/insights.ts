import type { InsightsReader } from '../contract/insights.ts';
import { accepted, getPostCounts } from './client.ts';

/** The AppView shows counts to anyone; a post has no views there, and one that was deleted is missing. */
const APPVIEW = 'https://public.api.bsky.app';

export const insights: InsightsReader = {
  batch: 25,
  read: async ({ http }, uris) => {
    const { posts } = accepted(await getPostCounts({ http, url: APPVIEW }, uris));
    return new Map(
      posts.map(({ uri, likeCount, replyCount, repostCount, quoteCount }) => [
        uri,
        { likes: likeCount, comments: replyCount, shares: repostCount + quoteCount, views: null },
      ]),
    );
  },
};
