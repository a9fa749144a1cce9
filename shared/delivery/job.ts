import type { PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import type { Connection } from '../model/profile.ts';
import { commentFor, draftFor, titleFor, type PostContent } from '../platforms/kit/draft.ts';
import type { PublishJob } from '../platforms/contract/publisher.ts';
import { RULES } from '../platforms/registry.ts';
import type { Draft } from '../platforms/contract/rules.ts';

/** What one platform of a post is to publish, in that platform's shape: texts are as they are to be sent. */
export function jobOf(post: Post, connection: Connection): PublishJob {
  const { platform } = connection;
  const rules = RULES[platform];
  const draft = draftOf(post, platform);
  return {
    ...draft,
    title: titleFor(rules, draft),
    first_comment: commentFor(rules, draft),
    post_id: post.post_id,
    platform,
    text: rules.shape(draft),
    account: {
      connection_id: connection.id,
      platform_user_id: connection.platform_user_id,
      username: connection.username,
      attributes: factsOf(connection),
    },
    due_at: post.due_at,
    created_at: post.created_at,
  };
}

/** What a publisher may want to know of an account: its target for posts that name none is `default_target_id`. */
function factsOf({ attributes, default_target_id }: Connection): Record<string, string> {
  return { ...attributes, ...(default_target_id ? { default_target_id } : {}) };
}

/** A post as one platform sees it. Fields that do not fit any more, since a rule changed, are left out. */
export function draftOf(post: PostContent, platform: PlatformId): Draft {
  return draftFor(RULES[platform], post).draft;
}
