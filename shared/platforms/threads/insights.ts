import type { Metrics } from '../../model/insight.ts';
import { defineInsights } from '../contract/insights.ts';
import type { GraphClient } from '../families/meta/graph.ts';
import { postMetrics, threadsClient } from './client.ts';
import { CredentialsSchema } from './credentials.ts';
import { isMissing } from './errors.ts';

/** One request for each post. */
export const insights = defineInsights({
  credentials: CredentialsSchema,
  batch: 10,
  read: async ({ http, authorize, now }, ids) => {
    const { credentials } = await authorize();
    const client = threadsClient({ http, now, token: credentials.access_token });
    const read = await Promise.all(ids.filter(isPostId).map(id => metricsOf(client, id)));
    return new Map(read.flat());
  },
});

/** False for a post that is live but was not found in the list. */
const isPostId = (id: string) => /^\d+$/.test(id);

/** Returns the metrics of a post under its id; nothing where it was deleted. */
async function metricsOf(client: GraphClient, id: string): Promise<[string, Metrics][]> {
  try {
    const counts = await postMetrics(client, id);
    const count = (name: string) => counts.get(name) ?? 0;
    const shares = count('reposts') + count('quotes') + count('shares');
    const views = counts.get('views') ?? null;
    return [[id, { likes: count('likes'), comments: count('replies'), shares, views }]];
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
