import * as v from 'valibot';
import { read, type Caller } from './call.ts';
import { encodeList, encodeUrn } from './urn.ts';

/* Calls for metrics. All throw PlatformError. */

const count = v.fallback(v.optional(v.pipe(v.number(), v.integer()), 0), 0);

const SharesSchema = v.object({
  elements: v.array(
    v.object({
      share: v.optional(v.string()),
      ugcPost: v.optional(v.string()),
      totalShareStatistics: v.object({
        impressionCount: count,
        likeCount: count,
        commentCount: count,
        shareCount: count,
      }),
    }),
  ),
});
export type ShareCounts = v.InferOutput<typeof SharesSchema>['elements'][number]['totalShareStatistics'];

/** Returns lifetime counts of an organization's posts by URN. Posts without any activity may be missing. */
export async function shareStatistics(
  caller: Caller,
  organization: string,
  ids: readonly string[],
): Promise<Map<string, ShareCounts>> {
  const listed = (name: string, type: string) => {
    const urns = ids.filter(id => id.startsWith(`urn:li:${type}:`));
    return urns.length === 0 ? [] : [`${name}=${encodeList(urns)}`];
  };
  const query = [
    'q=organizationalEntity',
    `organizationalEntity=${encodeUrn(organization)}`,
    ...listed('shares', 'share'),
    ...listed('ugcPosts', 'ugcPost'),
  ].join('&');
  const path = `/rest/organizationalEntityShareStatistics?${query}`;
  const call = { what: 'Reading metrics', purpose: 'read', method: 'GET', path } as const;
  const { elements } = await read(caller, call, SharesSchema);
  return new Map(elements.map(each => [each.share ?? each.ugcPost ?? '', each.totalShareStatistics]));
}

export type MemberMetric = 'IMPRESSION' | 'REACTION' | 'COMMENT' | 'RESHARE';

const MemberSchema = v.object({ elements: v.array(v.object({ count })) });

/** Returns one lifetime count of a member's post. */
export async function memberCount(caller: Caller, id: string, metric: MemberMetric): Promise<number> {
  const type = id.startsWith('urn:li:ugcPost:') ? 'ugc' : 'share';
  const query = `q=entity&entity=(${type}:${encodeUrn(id)})&queryType=${metric}&aggregation=TOTAL`;
  const path = `/rest/memberCreatorPostAnalytics?${query}`;
  const call = { what: 'Reading metrics', purpose: 'read', method: 'GET', path } as const;
  const { elements } = await read(caller, call, MemberSchema);
  return elements.reduce((sum, element) => sum + element.count, 0);
}
