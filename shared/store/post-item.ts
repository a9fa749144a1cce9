import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { Destination } from '../model/destination.ts';
import { PostSchema, type Post } from '../model/post.ts';
import { wakeShard, workspaceKey, type Key } from './table.ts';

/*
 * A post as an item. What its keys say, and what has its default, is left out: each write costs a unit for each kilobyte
 * of the whole item, and a delivery writes a post three times for each platform.
 */

export const POST_PREFIX = 'POST#';

export const postKey = (workspaceId: string, postId: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: POST_PREFIX + postId,
});

/** Returns the ids of the post with this key; null when the key belongs to another kind of item. */
export function postOfKey(key: Key): { workspace_id: string; post_id: string } | null {
  if (!key.SK.startsWith(POST_PREFIX)) return null;
  return { workspace_id: key.PK.slice(workspaceKey('').length), post_id: key.SK.slice(POST_PREFIX.length) };
}

const POST_DEFAULTS = {
  title: null,
  description: null,
  media_urls: [],
  first_comment: null,
  auto_truncate: false,
  options: {},
};

/** Of all statuses: the schema takes those of the destination's own. */
const DESTINATION_DEFAULTS = {
  attempts: 0,
  failures: 0,
  first_attempt_at: null,
  outbox: [],
  checkpoint: null,
  intent: null,
  follow_ups: [],
  lease: null,
  abandoned: null,
};

type Values = Readonly<Record<string, unknown>>;

const withoutDefaults = (values: Values, defaults: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => !(name in defaults && isDeepStrictEqual(value, defaults[name])),
    ),
  );

/** Returns the item of a post. It is in the wake index while `wake_at` is set. */
export function postItem({ workspace_id, post_id, destinations, ...rest }: Post): Values {
  const indexed = rest.wake_at === undefined ? {} : { wake_shard: wakeShard(post_id) };
  const stored = Object.entries(destinations).map(([platform, each]) => [platform, destinationItem(each)]);
  return {
    ...postKey(workspace_id, post_id),
    ...withoutDefaults(rest, POST_DEFAULTS),
    destinations: Object.fromEntries(stored),
    ...indexed,
  };
}

/** Returns a destination as the item of its post has it, under its platform. */
export const destinationItem = ({ platform: _, ...rest }: Destination): Values =>
  withoutDefaults(rest, DESTINATION_DEFAULTS);

const StoredPostSchema = v.looseObject({
  PK: v.string(),
  SK: v.string(),
  destinations: v.record(v.string(), v.looseObject({})),
});

/** Reads the item of a post. */
export const PostItemSchema = v.pipe(
  StoredPostSchema,
  v.transform((item): Post => v.parse(PostSchema, withDefaults(item))),
);

function withDefaults({ PK, SK, destinations, ...rest }: v.InferOutput<typeof StoredPostSchema>): Values {
  const complete = Object.entries(destinations).map(([platform, each]) => [
    platform,
    { ...DESTINATION_DEFAULTS, ...each, platform },
  ]);
  return {
    ...POST_DEFAULTS,
    ...rest,
    ...postOfKey({ PK, SK }),
    destinations: Object.fromEntries(complete),
  };
}
