import * as v from 'valibot';
import type { Metrics } from '../../model/insight.ts';
import { defineInsights } from '../contract/insights.ts';
import { isGraphError } from '../families/meta/errors.ts';
import { pageClient, type PageClient } from './client.ts';
import { CredentialsSchema } from './credentials.ts';
import { postOfVideo } from './video-status.ts';

const Summary = v.optional(v.object({ summary: v.object({ total_count: v.number() }) }));
const CountsSchema = v.object({
  shares: v.optional(v.object({ count: v.number() })),
  comments: Summary,
  reactions: Summary,
});

const InsightsSchema = v.object({
  data: v.array(
    v.object({
      name: v.string(),
      values: v.array(v.object({ value: v.union([v.number(), v.record(v.string(), v.number())]) })),
    }),
  ),
});

/** Each post takes two or three calls: Facebook no longer reads several objects at once. */
const BATCH = 10;

export const insights = defineInsights({
  credentials: CredentialsSchema,
  batch: BATCH,
  read: async ({ http, authorize, now }, ids) => {
    const { target, app } = await authorize();
    const page = pageClient({ target, app, http, now });
    const metrics = new Map<string, Metrics>();
    for (const id of ids) {
      const read = await readMetrics(page, id);
      if (read) metrics.set(id, read);
    }
    return metrics;
  },
});

/** Returns the metrics of a post; null where it was deleted. */
async function readMetrics(page: PageClient, id: string): Promise<Metrics | null> {
  try {
    // Videos are known by their own id, and counted by that of the post which shows them.
    const postId = id.includes('_') ? id : ((await postOfVideo(page, id)) ?? id);
    const { shares, comments, reactions } = await page.graph.call(
      {
        what: 'Reading the reactions',
        purpose: 'read',
        method: 'GET',
        path: `/${postId}`,
        query: {
          fields: 'created_time,shares,comments.limit(0).summary(true),reactions.limit(0).summary(true)',
        },
      },
      CountsSchema,
    );
    return {
      likes: reactions?.summary.total_count ?? null,
      comments: comments?.summary.total_count ?? null,
      // Facebook leaves the count out while it is 0.
      shares: shares?.count ?? 0,
      views: await readViews(page, postId),
    };
  } catch (error) {
    if (isGraphError(error, 100, 33)) return null;
    throw error;
  }
}

/** Returns the views of a post; null where Facebook does not count them, or too few people saw the post. */
async function readViews({ graph }: PageClient, id: string): Promise<number | null> {
  try {
    const { data } = await graph.call(
      {
        what: 'Reading the views',
        purpose: 'read',
        method: 'GET',
        path: `/${id}/insights`,
        query: { metric: 'post_media_view' },
      },
      InsightsSchema,
    );
    const value = data[0]?.values[0]?.value ?? null;
    return typeof value === 'number' || value === null
      ? value
      : Object.values(value).reduce((sum, each) => sum + each, 0);
  } catch (error) {
    // One metric that was removed, or a permission for insights that is missing, must not hide the reactions.
    if (isGraphError(error, 100) || isGraphError(error, 10) || isGraphError(error, 200)) return null;
    throw error;
  }
}
