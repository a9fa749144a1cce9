import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import { DAY } from '../../../time/instant.ts';
import { authorize, CREATOR_INFO, invalid, jsonBody, missingScope, ok, READ, refuse } from './access.ts';
import { settingsOf, type TikTokAccount, type TikTokState } from './state.ts';

const USERS_PER_DAY = 5;

/** Fields of an account by the scope that they need. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'user.info.basic': ['open_id', 'union_id', 'avatar_url', 'display_name'],
  'user.info.profile': ['username', 'profile_deep_link', 'bio_description', 'is_verified'],
  'user.info.stats': ['follower_count', 'following_count', 'likes_count', 'video_count'],
};

/** The account, and what its creator may post now. */
export function addCreator(api: Hono, state: TikTokState): void {
  api.get('/v2/user/info/', c => userInfo(c, state));
  api.post('/v2/post/publish/creator_info/query/', async c => {
    const { account } = authorize(c, state, CREATOR_INFO, 'video.publish');
    await jsonBody(c, v.strictObject({}));
    assertMayPost(state, account, 200);
    return ok(c, {
      creator_avatar_url: avatarOf(account),
      creator_username: account.username,
      creator_nickname: account.nickname,
      privacy_level_options: privacyLevelsOf(account),
      comment_disabled: account.comment_disabled,
      duet_disabled: account.duet_disabled || account.is_private,
      stitch_disabled: account.stitch_disabled || account.is_private,
      max_video_post_duration_sec: account.max_seconds,
    });
  });
}

function userInfo(c: Context, state: TikTokState): Response {
  const { account, scopes } = authorize(c, state, READ, ...Object.keys(FIELDS));
  const fields = (c.req.query('fields') ?? '').split(',');
  const values: Readonly<Record<string, unknown>> = {
    open_id: account.id,
    union_id: account.union_id,
    avatar_url: avatarOf(account),
    display_name: account.nickname,
    username: account.username,
    is_verified: false,
    follower_count: 10,
  };
  for (const field of fields) {
    const scope = Object.keys(FIELDS).find(name => FIELDS[name]?.includes(field));
    if (scope === undefined) return invalid(`Invalid field: ${field}`);
    if (!scopes.includes(scope)) return missingScope();
  }
  const user = Object.fromEntries(fields.map(field => [field, values[field] ?? '']));
  return ok(c, { user });
}

/** The URL is signed and changes with each read. */
const avatarOf = ({ username }: TikTokAccount) =>
  `https://p19-sign.tiktokcdn-us.com/${username}.jpeg?x-signature=${Math.random().toString(36).slice(2)}`;

export function privacyLevelsOf({ is_private }: TikTokAccount): string[] {
  return [is_private ? 'FOLLOWER_OF_CREATOR' : 'PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'];
}

/** Ends the request when the account cannot post directly now. Creator info says so with the status 200. */
export function assertMayPost(state: TikTokState, { id, banned }: TikTokAccount, status: 200 | 403): void {
  const { audited, posts_per_day } = settingsOf(state);
  const since = state.host.now() - DAY;
  const posts = state.processes
    .values()
    .filter(each => !each.draft && each.accepted_at !== null && each.accepted_at > since && !each.problem);
  if (banned)
    refuse(status, 'spam_risk_user_banned_from_posting', 'The user is banned from making new posts.');
  if (posts.filter(({ account_id }) => account_id === id).length >= posts_per_day) {
    refuse(
      status,
      'spam_risk_too_many_posts',
      'The daily post cap from the API is reached for the current user.',
    );
  }
  const users = new Set(posts.map(({ account_id }) => account_id));
  if (!audited && users.size >= USERS_PER_DAY && !users.has(id)) {
    refuse(status, 'reached_active_user_cap', 'The daily quota for active publishing users is reached.');
  }
}
