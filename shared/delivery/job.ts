import type { Post } from '../model/post.ts';
import type { Connection } from '../model/profile.ts';
import type { PublishJob } from '../platforms/contract/publisher.ts';
import type { PlatformRules } from '../platforms/contract/rules.ts';
import { draftFor, textsFor } from '../platforms/kit/draft.ts';

/**
 * Returns what one platform of a post publishes, with the texts as they will be sent. Options that no longer match the rules
 * of the platform are left out.
 */
export function jobOf(rules: PlatformRules, post: Post, connection: Connection): PublishJob {
  const account = {
    connection_id: connection.id,
    platform_user_id: connection.platform_user_id,
    username: connection.username,
    attributes: attributesOf(connection),
  };
  const { draft } = draftFor(rules, post, account);
  return {
    ...draft,
    ...textsFor(rules, draft),
    post_id: post.post_id,
    platform: connection.platform,
    account,
    due_at: post.due_at,
    created_at: post.created_at,
  };
}

/** Returns the stored attributes with `default_target_id`, the target of posts that name none. */
function attributesOf({ attributes, default_target_id }: Connection): Record<string, string> {
  return { ...attributes, ...(default_target_id ? { default_target_id } : {}) };
}
