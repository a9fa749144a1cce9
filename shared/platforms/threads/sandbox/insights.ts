import type { Context, Hono } from 'hono';
import { DAY, SECOND } from '../../../time/instant.ts';
import { authorize, readParams, type Grant } from './access.ts';
import { unixTime } from './reads.ts';
import { invalidParameter, mediaNotFound } from './responses.ts';
import type { ThreadsState } from './state.ts';

const SCOPES = ['threads_basic', 'threads_manage_insights'];
const POST_METRICS = ['views', 'likes', 'replies', 'reposts', 'quotes', 'shares'];
const ACCOUNT_METRICS = [
  'views',
  'likes',
  'replies',
  'reposts',
  'quotes',
  'clicks',
  'followers_count',
  'follower_demographics',
];
const FIRST_SECOND = 1_712_991_600;
/** Names of the metrics that `POST /_control/metrics` sets. */
const SET_AS: Readonly<Record<string, string>> = { replies: 'comments', reposts: 'shares' };

/** Insights of posts and of the account. */
export function addInsights(api: Hono, state: ThreadsState): void {
  api.get('/v1.0/:id/insights', async c => {
    const grant = authorize(c, state, await readParams(c, state), SCOPES);
    return postInsights(c, state, grant);
  });
  api.get('/v1.0/:user/threads_insights', async c => {
    const grant = authorize(c, state, await readParams(c, state), SCOPES);
    return accountInsights(c, state, grant);
  });
}

function metricsOf(c: Context, known: readonly string[]): string[] {
  const metrics = (c.req.query('metric') ?? '').split(',').filter(Boolean);
  if (metrics.length === 0) invalidParameter('(#100) The metric parameter is required');
  const unknown = metrics.find(metric => !known.includes(metric));
  if (unknown !== undefined) invalidParameter(`(#100) metric[0] must be one of: ${known.join(', ')}`);
  return metrics;
}

function postInsights(c: Context, state: ThreadsState, { account }: Grant): Response {
  const id = c.req.param('id') ?? '';
  if (state.media.get(id)?.account_id !== account.id) return mediaNotFound();
  const set = state.host.metrics('threads', id);
  const data = metricsOf(c, POST_METRICS).map(name => ({
    name,
    period: 'lifetime',
    values: [{ value: Number(set?.[SET_AS[name] ?? name] ?? 0) }],
    title: name,
    id: `${id}/insights/${name}/lifetime`,
  }));
  // `shares` of the control endpoint are reposts; sent links are counted apart.
  return c.json({ data: data.map(each => (each.name === 'shares' ? withValue(each, 0) : each)) });
}

const withValue = <T extends object>(metric: T, value: number) => ({ ...metric, values: [{ value }] });

function accountInsights(c: Context, state: ThreadsState, { account }: Grant): Response {
  const metrics = metricsOf(c, ACCOUNT_METRICS);
  const since = unixTime(c, 'since');
  if (since !== null && since < FIRST_SECOND * SECOND) {
    invalidParameter('(#100) The since param must be after Apr 13, 2024');
  }
  if (account.period_required && c.req.query('period') === undefined) {
    invalidParameter('(#100) The period param is required');
  }
  if (metrics.includes('follower_demographics') && c.req.query('breakdown') === undefined) {
    invalidParameter('(#100) The breakdown param is required');
  }
  const end = new Date(since ?? state.host.now() - DAY).toISOString().replace(/\.\d+Z$/, '+0000');
  return c.json({
    data: metrics.map(name => ({
      name,
      period: 'day',
      title: name,
      id: `${account.id}/threads_insights/${name}/day`,
      ...valueOf(name, end),
    })),
  });
}

/** Clicks come once for each link. */
function valueOf(name: string, end_time: string): object {
  if (name === 'views') return { values: [{ value: 7, end_time }] };
  if (name !== 'clicks') return { total_value: { value: 3 } };
  return {
    link_total_values: [
      { value: 2, link_url: 'https://example.com/a' },
      { value: 1, link_url: 'https://example.com/b' },
    ],
  };
}
