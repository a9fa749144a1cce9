import * as v from 'valibot';
import type { Metrics } from '../../model/insight.ts';
import { defineInsights } from '../contract/insights.ts';
import { isGraphError } from '../families/meta/errors.ts';
import { UNKNOWN_POST_ID } from '../../model/destination.ts';
import { accessesOf, onObject, type Accesses } from './access.ts';
import { CredentialsSchema } from './credentials.ts';
import { isHidden } from './errors.ts';

/** Instagram has no request for several media. */
export const insights = defineInsights({
  credentials: CredentialsSchema,
  batch: 10,
  read: async ({ http, now, account, authorize }, ids) => {
    const accesses = accessesOf({ http, now, account, ...(await authorize()) });
    const metrics = new Map<string, Metrics>();
    for (const id of ids.filter(each => each !== UNKNOWN_POST_ID)) {
      const read = await readMetrics(accesses, id);
      if (read) metrics.set(id, read);
    }
    return metrics;
  },
});

const count = v.nullish(v.pipe(v.number(), v.integer()), null);
const CountsSchema = v.object({ like_count: count, comments_count: count });

/** Returns the metrics of a media; null for one that is gone. */
async function readMetrics(accesses: Accesses, id: string): Promise<Metrics | null> {
  const query = { fields: 'like_count,comments_count' };
  const call = { what: 'Reading likes and comments', purpose: 'read', method: 'GET', query } as const;
  try {
    const { like_count: likes, comments_count: comments } = await onObject(accesses, client =>
      client.call({ ...call, path: `/${id}` }, CountsSchema),
    );
    return { likes, comments, ...(await readInsights(accesses, id)) };
  } catch (error) {
    if (isHidden(error)) return null;
    throw error;
  }
}

const InsightsSchema = v.object({
  data: v.array(v.object({ name: v.string(), values: v.array(v.object({ value: v.unknown() })) })),
});

/** These two metrics exist for posts, Reels and stories; an unsuitable one would fail the request. */
const METRIC = 'views,shares';

async function readInsights(accesses: Accesses, id: string): Promise<Pick<Metrics, 'views' | 'shares'>> {
  const query = { metric: METRIC };
  const call = { what: 'Reading the insights', purpose: 'read', method: 'GET', query } as const;
  try {
    const { data } = await onObject(accesses, client =>
      client.call({ ...call, path: `/${id}/insights` }, InsightsSchema),
    );
    const valueOf = (name: string) => {
      const value = data.find(each => each.name === name)?.values[0]?.value;
      return typeof value === 'number' ? Math.round(value) : null;
    };
    return { views: valueOf('views'), shares: valueOf('shares') };
  } catch (error) {
    // A story with fewer than five viewers.
    if (isGraphError(error, 10) && /viewers/i.test(error.message)) return { views: null, shares: null };
    throw error;
  }
}
