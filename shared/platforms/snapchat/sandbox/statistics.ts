import type { Context, Hono } from 'hono';
import { DAY, toIso } from '../../../time/instant.ts';
import { authorizeProfile } from './access.ts';
import { invalid, notFound, success } from './answers.ts';
import type { SnapchatState, StoredPost } from './state.ts';

const FIELDS: Readonly<Record<StoredPost['kind'], readonly string[]>> = {
  spotlights: ['VIEWS', 'SHARES', 'FAVORITES', 'REPLIES'],
  stories: ['VIEWS', 'SHARES', 'REPLIES', 'SCREENSHOTS'],
  saved_stories: ['STORY_VIEWS', 'SHARES', 'STORY_FAVORITES'],
};
/** The fields by their names in `POST /_control/metrics`. */
const SET_AS: Readonly<Record<string, string>> = {
  VIEWS: 'views',
  STORY_VIEWS: 'views',
  SHARES: 'shares',
  FAVORITES: 'likes',
  STORY_FAVORITES: 'likes',
  REPLIES: 'comments',
};

/** Statistics of single posts. */
export function addStatistics(api: Hono, state: SnapchatState): void {
  for (const kind of ['spotlights', 'stories', 'saved_stories'] as const) {
    api.get(`/v1/public_profiles/:profile/${kind}/:id/stats`, c => statistics(c, state, kind));
  }
}

function statistics(c: Context, state: SnapchatState, kind: StoredPost['kind']): Response {
  const profile = authorizeProfile(c, state);
  const post = state.posts.get(c.req.param('id') ?? '');
  // The media of a story is no id of the story.
  const isKnown = post?.profile_id === profile.id && post.kind === kind && !state.media.has(post.id);
  if (!isKnown) return notFound('Asset');
  checkRange(c);
  const fields = c.req.query('fields')?.split(',') ?? FIELDS[kind];
  const unknown = fields.find(name => !FIELDS[kind].includes(name));
  if (unknown !== undefined) return invalid(`Invalid field ${unknown} for ${kind}`);
  const set = state.host.metrics('snapchat', post.id);
  if (!set) return success(c, { assets: [] });
  const timeseries = {
    start_time: toIso(post.created_at),
    end_time: toIso(state.host.now()),
    fields: fields.map(field_name => ({
      field: { field_name },
      stats: [{ dimension_breakdown: 'DEFAULT', value: String(Number(set[SET_AS[field_name] ?? ''] ?? 0)) }],
    })),
  };
  return success(c, { assets: [{ timeseries: [timeseries] }] });
}

/** DAY and TOTAL need a range of whole days in UTC; LIFETIME has none. */
function checkRange(c: Context): void {
  const { granularity = 'LIFETIME', startTime, endTime } = c.req.query();
  if (granularity === 'LIFETIME') {
    if (startTime !== undefined || endTime !== undefined) invalid('LIFETIME has no startTime and endTime');
    return;
  }
  if (!['DAY', 'TOTAL'].includes(granularity)) invalid('Invalid granularity');
  const isMidnight = (time = '') => /^\d{4}-\d\d-\d\dT00:00:00\.000Z$/.test(time);
  if (!isMidnight(startTime) || !isMidnight(endTime))
    invalid('startTime and endTime must be at midnight UTC');
  const range = Date.parse(endTime ?? '') - Date.parse(startTime ?? '');
  if (!(range > 0 && range <= 90 * DAY)) invalid('The range must be at most 90 days');
}
