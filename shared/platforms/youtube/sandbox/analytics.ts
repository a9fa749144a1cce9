import type { Context, Hono } from 'hono';
import { bearerOf } from '../../families/google/sandbox/tokens.ts';
import { insufficientScopes, refuse, unauthorized } from './errors.ts';
import { respond, type Guard } from './guard.ts';
import { ANALYTICS } from './operations.ts';

const METRICS = [
  'averageViewDuration',
  'averageViewPercentage',
  'comments',
  'estimatedMinutesWatched',
  'likes',
  'shares',
  'subscribersGained',
  'subscribersLost',
  'views',
];
const DIMENSIONS = ['day', 'video'];

/** Reports of YouTube Analytics: columns in the order of the request. */
export function addAnalytics(app: Hono, guard: Guard): void {
  app.get('/youtubeanalytics.googleapis.com/v2/reports', c => respond(c, () => report(guard, c)));
}

function unsupported(what: string): never {
  return refuse(400, 'badRequest', `The query is not supported. ${what}`, {
    domain: 'global',
    status: 'INVALID_ARGUMENT',
  });
}

function report({ state, tokens }: Guard, c: Context): Response {
  const token = bearerOf(tokens, c.req.header('authorization'));
  if (!token) return unauthorized();
  if (!token.scopes.includes(ANALYTICS)) return insufficientScopes('youtubeAnalytics.reports.query');
  const { ids, startDate, endDate, metrics = '', dimensions = '', filters = '' } = c.req.query();
  const isDay = (text = '') => /^\d{4}-\d{2}-\d{2}$/.test(text);
  if (ids !== 'channel==MINE') return unsupported('ids');
  if (!isDay(startDate) || !isDay(endDate) || String(startDate) > String(endDate))
    return unsupported('dates');
  const [named, by] = [metrics.split(','), dimensions === '' ? [] : dimensions.split(',')];
  if (!named.every(metric => METRICS.includes(metric))) return unsupported('metrics');
  if (!by.every(dimension => DIMENSIONS.includes(dimension))) return unsupported('dimensions');
  const wanted = /^video==([\w,-]+)$/.exec(filters)?.[1]?.split(',') ?? null;
  const videos = state.videos
    .values()
    .filter(({ id, channel_id }) => channel_id === token.account_id && (wanted?.includes(id) ?? true));
  const rows = videos.map(({ id }) => {
    const counts = state.host.metrics('youtube', id) ?? {};
    return [...by.map(() => id), ...named.map(metric => Number(counts[metric] ?? 0))];
  });
  return c.json({
    kind: 'youtubeAnalytics#resultTable',
    columnHeaders: [
      ...by.map(name => ({ name, columnType: 'DIMENSION', dataType: 'STRING' })),
      ...named.map(name => ({ name, columnType: 'METRIC', dataType: 'INTEGER' })),
    ],
    ...(rows.length > 0 ? { rows } : {}),
  });
}
