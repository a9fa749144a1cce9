import * as v from 'valibot';
import type { JsonObject } from '../model/json.ts';
import { JsonObjectSchema } from '../model/json.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import type { Connection } from '../model/profile.ts';
import type { PublishJob } from '../platforms/publisher.ts';
import { RULES } from '../platforms/registry.ts';
import type { Draft } from '../platforms/rules.ts';

/** What one platform of a post is to publish, in that platform's shape. */
export function jobOf(post: Post, connection: Connection): PublishJob {
  const { platform } = connection;
  const draft = draftOf(post, platform);
  return {
    ...draft,
    post_id: post.post_id,
    platform,
    text: RULES[platform].shape(draft),
    account: {
      connection_id: connection.id,
      platform_user_id: connection.platform_user_id,
      username: connection.username,
      attributes: connection.attributes,
    },
    due_at: post.due_at,
    created_at: post.created_at,
  };
}

/** A post as one platform sees it: its own fields, with their defaults, and nobody else's. */
export function draftOf(
  post: Pick<
    Post,
    'post_type' | 'title' | 'description' | 'media_urls' | 'first_comment' | 'auto_truncate' | 'options'
  >,
  platform: PlatformId,
): Draft {
  return {
    post_type: post.post_type,
    title: post.title,
    description: post.description,
    media_urls: post.media_urls,
    first_comment: post.first_comment,
    auto_truncate: post.auto_truncate,
    options: platformOptions(platform, post.options),
  };
}

/** The platform's own fields out of all options; those that do not fit any more are left out. */
function platformOptions(platform: PlatformId, options: JsonObject): JsonObject {
  const { options: entries } = RULES[platform];
  const own = Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(entries, name)));
  const parsed = v.safeParse(v.object(entries), own);
  return parsed.success ? v.parse(JsonObjectSchema, withoutUndefined(parsed.output)) : {};
}

function withoutUndefined(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined));
}
