import type { Metrics } from '../../model/insight.ts';
import { PlatformError } from '../contract/error.ts';
import { defineInsights, type InsightsContext } from '../contract/insights.ts';
import { readApp } from './app.ts';
import type { Caller } from './call.ts';
import { scopesOf } from './context.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { ADMINISTRATOR } from './organizations.ts';
import { memberCount, shareStatistics, type MemberMetric } from './statistics.ts';

type Context = InsightsContext<Credentials>;
type MetricsById = ReadonlyMap<string, Metrics>;

const NONE: MetricsById = new Map();

/** Metrics need a Community Management app. Those of a member's posts need a permission that LinkedIn grants on request. */
export const insights = defineInsights({
  credentials: CredentialsSchema,
  batch: 20,
  read: async (context, ids) => {
    if (context.account.attributes['kind'] !== 'community') return NONE;
    const { credentials, app, target } = await context.authorize();
    const { http, now } = context;
    const caller = { http, token: credentials.access_token, version: readApp(app).version, now };
    if (!target) return memberMetrics(context, caller, ids);
    // LinkedIn shows the statistics of a page to its administrators only.
    return target.attributes['role'] === ADMINISTRATOR ? organizationMetrics(caller, target.id, ids) : NONE;
  },
});

async function organizationMetrics(
  caller: Caller,
  organization: string,
  ids: readonly string[],
): Promise<MetricsById> {
  const counts = await shareStatistics(caller, organization, ids).catch(noneIfDenied);
  if (!counts) return NONE;
  return new Map(
    ids.map(id => {
      const post = counts.get(id);
      return [
        id,
        // LinkedIn leaves out posts without any activity.
        {
          likes: post?.likeCount ?? 0,
          comments: post?.commentCount ?? 0,
          shares: post?.shareCount ?? 0,
          views: post?.impressionCount ?? 0,
        },
      ];
    }),
  );
}

const MEMBER_METRICS = {
  likes: 'REACTION',
  comments: 'COMMENT',
  shares: 'RESHARE',
  views: 'IMPRESSION',
} as const satisfies Record<keyof Metrics, MemberMetric>;

async function memberMetrics(
  { account }: Context,
  caller: Caller,
  ids: readonly string[],
): Promise<MetricsById> {
  if (scopesOf(account.attributes)?.includes('r_member_postAnalytics') !== true) return NONE;
  const found = new Map<string, Metrics>();
  for (const id of ids) {
    const count = (metric: keyof Metrics) => memberCount(caller, id, MEMBER_METRICS[metric]);
    // One call for each number.
    const [likes, comments, shares, views] = [
      await count('likes'),
      await count('comments'),
      await count('shares'),
      await count('views'),
    ];
    found.set(id, { likes, comments, shares, views });
  }
  return found;
}

/** A role that was taken away is no failure of the reading. */
function noneIfDenied(error: unknown): null {
  if (error instanceof PlatformError && error.code === 'PERMISSION_MISSING') return null;
  throw error;
}
