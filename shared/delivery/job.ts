import type { PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import type { Connection } from '../model/profile.ts';
import type { PublishJob } from '../platforms/contract/publisher.ts';
import type { AccountFacts, Draft } from '../platforms/contract/rules.ts';
import { draftFor, textsFor, type PostContent } from '../platforms/kit/draft.ts';
import { RULES } from '../platforms/registry.ts';

/** Returns what one platform of a post publishes, with the texts as they will be sent. */
export function jobOf(post: Post, connection: Connection): PublishJob {
  const { platform } = connection;
  const account = {
    connection_id: connection.id,
    platform_user_id: connection.platform_user_id,
    username: connection.username,
    attributes: attributesOf(connection),
  };
  const draft = draftOf(post, platform, account);
  return {
    ...draft,
    ...textsFor(RULES[platform], draft),
    post_id: post.post_id,
    platform,
    account,
    due_at: post.due_at,
    created_at: post.created_at,
  };
}

/** Returns the stored attributes with `default_target_id`, the target of posts that name none. */
function attributesOf({ attributes, default_target_id }: Connection): Record<string, string> {
  return { ...attributes, ...(default_target_id ? { default_target_id } : {}) };
}

/** Returns a post as one platform sees it. Options that no longer match the platform's rules are left out. */
export function draftOf(post: PostContent, platform: PlatformId, account: AccountFacts | null = null): Draft {
  return draftFor(RULES[platform], post, account).draft;
}
