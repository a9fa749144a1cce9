import type { Metrics } from '../../model/insight.ts';
import { defineInsights } from '../contract/insights.ts';
import type { Caller } from './call.ts';
import { CredentialsSchema } from './credentials.ts';
import { isMissing } from './errors.ts';
import { readStatistics, type PostKind, type Statistics } from './statistics.ts';

/** One to three requests for each post, one after the other: Snapchat allows ten in a second. */
export const insights = defineInsights({
  credentials: CredentialsSchema,
  batch: 5,
  read: async ({ http, account, authorize }, ids) => {
    const { credentials, target } = await authorize();
    const caller = { http, token: credentials.access_token };
    const profile = target?.id ?? account.platform_user_id;
    const metrics = new Map<string, Metrics>();
    for (const id of ids) {
      const statistics = await findStatistics(caller, profile, id);
      if (statistics) metrics.set(id, metricsOf(statistics));
    }
    return metrics;
  },
});

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** An id does not tell of which kind its post is; those of Spotlight videos are no UUIDs. */
const kindsOf = (id: string): readonly PostKind[] =>
  UUID.test(id) ? ['saved_stories', 'stories'] : ['spotlights', 'saved_stories', 'stories'];

/** Returns the statistics of a post; null for one that was deleted, and for a story that is known by its media only. */
async function findStatistics(caller: Caller, profile: string, id: string): Promise<Statistics | null> {
  for (const kind of kindsOf(id)) {
    try {
      return await readStatistics(caller, { profile, kind, id });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return null;
}

function metricsOf(statistics: Statistics): Metrics {
  const first = (...names: string[]): number | null => {
    const found = names.map(name => statistics.get(name)).find(value => value !== undefined);
    return found === undefined ? null : Math.round(found);
  };
  return {
    likes: first('FAVORITES', 'STORY_FAVORITES'),
    comments: first('REPLIES'),
    shares: first('SHARES'),
    views: first('VIEWS', 'SPOTLIGHT_VIEWS', 'STORY_VIEWS'),
  };
}
