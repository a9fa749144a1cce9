import type { Context, Hono } from 'hono';
import { SECOND, toIso } from '../../../time/instant.ts';
import { authorizeProfile } from './access.ts';
import { invalid, notFound, success } from './answers.ts';
import type { SnapchatAccount, SnapchatState, StoredPost } from './state.ts';

const MODERATION_MS = 30 * SECOND;

/** Lists of posts, and single Spotlight videos with their state. */
export function addReads(api: Hono, state: SnapchatState): void {
  const root = '/v1/public_profiles/:profile';
  api.get(`${root}/spotlights`, c => list(c, state, 'spotlights'));
  api.get(`${root}/saved_stories`, c => list(c, state, 'saved_stories'));
  api.get(`${root}/spotlights/:id`, c => {
    const profile = authorizeProfile(c, state);
    const post = state.posts.get(c.req.param('id'));
    const isOwn = post?.profile_id === profile.id && post.kind === 'spotlights';
    return isOwn ? success(c, { spotlights: [member(state, profile, post)] }) : notFound('Spotlight');
  });
}

function list(c: Context, state: SnapchatState, kind: 'spotlights' | 'saved_stories'): Response {
  const profile = authorizeProfile(c, state);
  if (!profile.lists) return notFound('Path');
  const limit = Number(c.req.query('limit') ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) return invalid('limit must be from 1 to 100');
  const until = state.host.now() - profile.list_lag_s * SECOND;
  const posts = state.posts
    .values()
    .filter(each => each.profile_id === profile.id && each.kind === kind && each.created_at <= until)
    .reverse()
    .slice(0, limit);
  return success(c, { [kind]: posts.map(post => member(state, profile, post)), paging: {} });
}

function member({ host }: SnapchatState, { moderation }: SnapchatAccount, post: StoredPost): object {
  const { id, kind, text, created_at } = post;
  const sub_request_status = 'SUCCESS';
  const view = { id, created_at: toIso(created_at) };
  if (kind !== 'spotlights') return { sub_request_status, saved_story: { ...view, title: text } };
  const status = host.now() - created_at < MODERATION_MS ? 'SUBMITTED' : moderation;
  return { sub_request_status, spotlight: { ...view, description: text ?? '', status } };
}
