import { defineInsights } from '../contract/insights.ts';
import { postCounts } from './client.ts';
import { CredentialsSchema } from './credentials.ts';

/** X bills each post that is read, once per UTC day. */
export const insights = defineInsights({
  credentials: CredentialsSchema,
  batch: 100,
  read: async ({ http, authorize, now }, ids) => {
    const { credentials } = await authorize();
    const posts = await postCounts({ http, token: credentials.access_token, now }, ids);
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
});
