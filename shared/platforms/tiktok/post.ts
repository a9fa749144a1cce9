import type { PublishedPost } from '../../model/destination.ts';
import type { Context, State } from './state.ts';

/** Where the owner of an account completes drafts. */
const INBOX_URL = 'https://www.tiktok.com/messages';

/** Returns the post. `id`: null until TikTok names it; the id of the process and the profile then stand in. */
export function postOf(
  { job }: Pick<Context, 'job'>,
  { creator, publish_id }: Pick<State, 'creator' | 'publish_id'>,
  id: string | null,
  published_at: number,
): PublishedPost {
  const username = creator?.username ?? job.account.username;
  const profile = username === null ? null : `https://www.tiktok.com/@${username}`;
  const path = job.post_type === 'video' ? 'video' : 'photo';
  return {
    platform_post_id: id ?? publish_id ?? '',
    platform_post_url: id === null || profile === null ? profile : `${profile}/${path}/${id}`,
    published_at,
  };
}

/** Returns a draft: it waits in the inbox of the app, and has no public URL. */
export const draftOf = ({ publish_id }: State, published_at: number): PublishedPost => ({
  platform_post_id: publish_id ?? '',
  platform_post_url: INBOX_URL,
  published_at,
});
