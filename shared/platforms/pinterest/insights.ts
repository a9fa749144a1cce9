import type { Metrics } from '../../model/insight.ts';
import { DAY, toIso } from '../../time/instant.ts';
import { defineInsights } from '../contract/insights.ts';
import { apiRoot, usesPinterestSandbox } from './app.ts';
import type { Caller } from './call.ts';
import { pinAnalytics } from './client.ts';
import { CredentialsSchema } from './credentials.ts';
import { isMissing } from './errors.ts';

/** Pinterest refuses a range that begins 90 days ago, depending on the time of day. */
const RANGE_MS = 89 * DAY;

/** One request for each Pin. The figures arrive up to two days late. */
export const insights = defineInsights({
  credentials: CredentialsSchema,
  batch: 10,
  read: async ({ http, authorize, now }, ids) => {
    const { credentials, app } = await authorize();
    // Pinterest's own sandbox has no analytics.
    if (usesPinterestSandbox(app)) return new Map();
    const caller = { http, root: apiRoot(app), token: credentials.access_token };
    const read = await Promise.all(ids.filter(isPinId).map(id => metricsOf(caller, id, now())));
    return new Map(read.flat());
  },
});

const isPinId = (id: string) => /^\d+$/.test(id);

/** Returns the metrics of a Pin under its id; nothing where it was deleted. */
async function metricsOf(caller: Caller, id: string, now: number): Promise<[string, Metrics][]> {
  const days = { start_date: dayOf(now - RANGE_MS), end_date: dayOf(now) };
  try {
    const { lifetime_metrics: lifetime, summary_metrics: summary } = await pinAnalytics(caller, id, days);
    const metrics = {
      likes: lifetime.TOTAL_REACTIONS,
      comments: lifetime.TOTAL_COMMENTS,
      shares: summary.SAVE,
      views: summary.IMPRESSION,
    };
    return [[id, metrics]];
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const dayOf = (epochMs: number) => toIso(epochMs).slice(0, 10);
