import { defineInsights } from '../contract/insights.ts';
import { videoCounts } from './client.ts';
import { CredentialsSchema } from './credentials.ts';
import { isGranted } from './scopes.ts';

/** Counts of public posts whose id is known. TikTok says nothing of others. */
export const insights = defineInsights({
  credentials: CredentialsSchema,
  batch: 20,
  read: async ({ http, authorize, account }, ids) => {
    const known = ids.filter(id => /^\d+$/.test(id));
    if (known.length === 0 || !isGranted(account.attributes, 'video.list')) return new Map();
    const { credentials } = await authorize();
    const counts = await videoCounts({ http, token: credentials.access_token }, known);
    return new Map(
      counts.map(({ id, like_count, comment_count, share_count, view_count }) => [
        id,
        { likes: like_count, comments: comment_count, shares: share_count, views: view_count },
      ]),
    );
  },
});
