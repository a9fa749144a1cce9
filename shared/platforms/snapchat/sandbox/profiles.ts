import type { Context, Hono } from 'hono';
import { authorize, authorizeProfile } from './access.ts';
import { denied, invalid, notFound, success } from './answers.ts';
import { mayActFor, type SnapchatAccount, type SnapchatState } from './state.ts';

/** The user's public profile, and those of its business. */
export function addProfiles(api: Hono, state: SnapchatState): void {
  api.get('/v1/public_profiles/my_profile', c => {
    const user = authorize(c, state);
    return user.profile ? success(c, { public_profile: view(user) }) : notFound('Public profile');
  });
  api.get('/v1/public_profiles/:profile', c => {
    const profile = authorizeProfile(c, state);
    return success(c, { public_profiles: [member(profile)] });
  });
  api.get('/v1/organizations/:organization/public_profiles', c => list(c, state));
}

function list(c: Context, state: SnapchatState): Response {
  const user = authorize(c, state);
  if (user.organization_id !== c.req.param('organization')) return denied();
  const limit = Number(c.req.query('limit') ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) return invalid('limit must be from 1 to 100');
  const profiles = state.accounts.values().filter(each => each.profile && mayActFor(user, each));
  const start = Number(Buffer.from(c.req.query('cursor') ?? '', 'base64url').toString() || 0);
  const end = start + limit;
  const next = end < profiles.length ? Buffer.from(String(end)).toString('base64url') : null;
  return success(c, {
    public_profiles: profiles.slice(start, end).map(member),
    paging:
      next === null ? {} : { next_page_id: next, next_link: `https://businessapi.snapchat.com${c.req.path}` },
  });
}

const member = (profile: SnapchatAccount) => ({
  sub_request_status: 'SUCCESS',
  public_profile: view(profile),
});

function view({ id, organization_id, username, display_name }: SnapchatAccount) {
  const logo = (size: string) => `https://cf-st.sc-cdn.net/aps/bolt/${id}.${size}.jpg`;
  return {
    id,
    ...(organization_id === null ? {} : { organization_id }),
    display_name,
    snap_user_name: username,
    profile_type: 'PUBLIC',
    profile_tier: 'OFFICIAL',
    subscriber_count: '1200',
    logo_urls: {
      original_logo_url: logo('original'),
      discover_feed_logo_url: logo('224'),
      mega_profile_logo_url: logo('432'),
      manage_profile_logo_url: logo('640'),
    },
  };
}
