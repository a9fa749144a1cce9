import * as v from 'valibot';
import { defineInsights } from '../contract/insights.ts';
import { PlatformError } from '../contract/error.ts';
import { GoogleCredentialsSchema } from '../families/google/credentials.ts';
import { API, itemsOf, send, VideoId, type Call, type Caller } from './call.ts';
import { UNITS } from './quota.ts';

/** Counts are strings. A count that is hidden is left out. */
const count = v.optional(v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number)));

const StatisticsSchema = v.object({
  id: VideoId,
  statistics: v.object({ viewCount: count, likeCount: count, commentCount: count }),
});

/** At most as many ids as one call takes. */
export const insights = defineInsights({
  credentials: GoogleCredentialsSchema,
  batch: 50,
  read: async ({ http, authorize, now }, ids) => {
    const { credentials } = await authorize();
    const caller: Caller = { http, token: credentials.access_token, now, quota: null };
    const videos = await statisticsOf(caller, ids);
    const shares = await sharesOf(caller, ids);
    return new Map(
      videos.map(({ id, statistics: { viewCount, likeCount, commentCount } }) => [
        id,
        {
          likes: likeCount ?? null,
          comments: commentCount ?? null,
          shares: shares?.get(id) ?? null,
          views: viewCount ?? null,
        },
      ]),
    );
  },
});

async function statisticsOf(caller: Caller, ids: readonly string[]) {
  const call: Call = {
    what: 'Reading metrics',
    purpose: 'read',
    method: 'GET',
    url: `${API}/videos`,
    query: { part: 'statistics', id: ids.join(',') },
    units: UNITS.list,
  };
  return (await send(caller, call, itemsOf(StatisticsSchema))).items;
}

const ReportSchema = v.object({
  rows: v.optional(v.array(v.tuple([v.string(), v.number()])), []),
});

/** Reports begin before the first video on YouTube. */
const FIRST_DAY = '2005-02-14';

/**
 * Returns the shares by video, which only YouTube Analytics counts, some days late. Null where it does not answer: the user
 * may have left out its permission, and the other metrics do not need it.
 */
async function sharesOf(caller: Caller, ids: readonly string[]): Promise<ReadonlyMap<string, number> | null> {
  const call: Call = {
    what: 'Reading the Analytics report',
    purpose: 'read',
    method: 'GET',
    url: 'https://youtubeanalytics.googleapis.com/v2/reports',
    query: {
      ids: 'channel==MINE',
      startDate: FIRST_DAY,
      endDate: new Date(caller.now()).toISOString().slice(0, 10),
      metrics: 'shares',
      dimensions: 'video',
      filters: `video==${ids.join(',')}`,
    },
    units: 0,
  };
  try {
    const { rows } = await send(caller, call, ReportSchema);
    return new Map(rows);
  } catch (error) {
    if (error instanceof PlatformError) return null;
    throw error;
  }
}
