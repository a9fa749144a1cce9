import type { Context, Hono } from 'hono';
import { requireScope, versioned } from './access.ts';
import { badRequest, denied } from './responses.ts';
import { organizationIn, type Grant, type LinkedInState } from './state.ts';

/** From this version on, `metricType` is a string. */
const STRING_TYPE_SINCE = '202605';
const METRICS: Readonly<Record<string, string>> = {
  IMPRESSION: 'views',
  MEMBERS_REACHED: 'views',
  RESHARE: 'shares',
  REACTION: 'likes',
  COMMENT: 'comments',
};

/** Lifetime statistics of organizations' and of members' posts. */
export function addStatistics(app: Hono, state: LinkedInState): void {
  const root = '/api.linkedin.com/rest';
  app.get(
    `${root}/organizationalEntityShareStatistics`,
    versioned(state, (c, grant) => shareStatistics(c, state, grant)),
  );
  app.get(
    `${root}/memberCreatorPostAnalytics`,
    versioned(state, (c, grant) => memberAnalytics(c, state, grant)),
  );
}

function shareStatistics(c: Context, state: LinkedInState, grant: Grant): Response {
  const resource = 'organizationalEntityShareStatistics.FINDER-organizationalEntity';
  requireScope(c, grant, resource, 'rw_organization_admin', 'r_organization_admin');
  const { q, organizationalEntity = '' } = c.req.query();
  if (q !== 'organizationalEntity') return badRequest('PARAM_INVALID', 'q must be organizationalEntity');
  const role = grant.member.roles[organizationIn(organizationalEntity) ?? ''];
  if (role !== 'ADMINISTRATOR') return denied(resource);
  const elements = [...listed(c, 'shares'), ...listed(c, 'ugcPosts')].flatMap(urn => {
    const numbers = state.host.metrics('linkedin', urn);
    // Posts without any activity are missing.
    if (state.posts.get(urn)?.author !== organizationalEntity || !numbers) return [];
    const number = (name: string) => Number(numbers[name] ?? 0);
    const totalShareStatistics = {
      uniqueImpressionsCount: number('views'),
      impressionCount: number('views'),
      clickCount: 0,
      likeCount: number('likes'),
      commentCount: number('comments'),
      shareCount: number('shares'),
      engagement: 0.1,
    };
    const key = urn.startsWith('urn:li:share:') ? 'share' : 'ugcPost';
    return [{ organizationalEntity, [key]: urn, totalShareStatistics }];
  });
  return c.json({ paging: { start: 0, count: 10, links: [] }, elements });
}

/** The members of a list parameter; its parentheses must not be encoded. */
function listed(c: Context, name: string): string[] {
  const raw = new RegExp(`[?&]${name}=([^&]*)`).exec(c.req.url)?.[1];
  if (raw === undefined) return [];
  const list = /^List\((.*)\)$/.exec(raw)?.[1];
  if (list === undefined)
    return badRequest('PARAM_INVALID', `Invalid query parameters passed to request: ${name}`);
  return list.split(',').map(decodeURIComponent);
}

function memberAnalytics(c: Context, state: LinkedInState, grant: Grant): Response {
  requireScope(c, grant, 'memberCreatorPostAnalytics.FINDER-entity', 'r_member_postAnalytics');
  const { q, queryType = '', aggregation } = c.req.query();
  const entity = /[?&]entity=\((share|ugc):([^)]*)\)/.exec(c.req.url);
  const metric = METRICS[queryType];
  if (q !== 'entity' || !entity || metric === undefined || !['TOTAL', 'DAILY'].includes(aggregation ?? '')) {
    return badRequest('PARAM_INVALID', 'Invalid query parameters passed to request');
  }
  const urn = decodeURIComponent(entity[2] ?? '');
  const numbers = state.host.metrics('linkedin', urn);
  const isString = (c.req.header('linkedin-version') ?? '') >= STRING_TYPE_SINCE;
  const key = 'com.linkedin.adsexternalapi.memberanalytics.v1.CreatorPostAnalyticsMetricTypeV1';
  const element = {
    count: Number(numbers?.[metric] ?? 0),
    metricType: isString ? queryType : { [key]: queryType },
    targetEntity: { [entity[1] ?? 'share']: urn },
  };
  const isOwn = state.posts.get(urn)?.author === `urn:li:person:${grant.member.id}`;
  return c.json({ elements: isOwn && numbers ? [element] : [], paging: {} });
}
