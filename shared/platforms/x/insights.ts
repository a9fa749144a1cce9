import type { InsightsReader } from '../contract/insights.ts';
import { PlatformError } from '../contract/error.ts';
import { postCounts } from './client.ts';

/** X bills each post that is read, once per UTC day. */
export const insights: InsightsReader = {
  batch: 100,
  read: async ({ http, credentials, now }, ids) => {
    const { access_token: token } = await credentials();
    if (token === null) {
      throw new PlatformError({ kind: 'token_expired', code: 'TOKEN_EXPIRED', message: 'No access token' });
    }
    const posts = await postCounts({ http, token, now }, ids);
    return new Map(
      posts.map(({ id, public_metrics: counts }) => [
        id,
        {
          likes: counts.like_count,
          comments: counts.reply_count,
          shares: (counts.repost_count ?? counts.retweet_count ?? 0) + counts.quote_count,
          views: counts.impression_count ?? null,
        },
      ]),
    );
  },
};
