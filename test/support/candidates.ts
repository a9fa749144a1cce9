import type { ValidationDetail } from '../../shared/http/errors.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import type { PostContent } from '../../shared/platforms/kit/draft.ts';
import { platformPosts } from '../../shared/posts/drafts.ts';
import type { Candidate } from '../../shared/posts/input/read.ts';
import { platformErrors, typeErrors } from '../../shared/posts/validate/platform.ts';

/** An immediate post with this content. */
export const candidateOf = (content: PostContent, platforms: readonly PlatformId[]): Candidate => ({
  ...content,
  media_urls: [...content.media_urls],
  media_alt_texts: [...(content.media_alt_texts ?? [])],
  platforms: [...platforms],
  profile_name: null,
  scheduling: 'immediate',
  scheduled_at: null,
  is_local_time: false,
  sent: new Set(),
});

/** Everything that the rules of one platform find about a post. */
export function errorsOn(platform: PlatformId, content: PostContent): ValidationDetail[] {
  const posts = platformPosts(candidateOf(content, [platform]), []);
  return [
    ...typeErrors(content.post_type, [platform]),
    ...posts.flatMap(post => platformErrors(post, content)),
  ];
}
