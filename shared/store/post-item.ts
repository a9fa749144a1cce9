import { isDeepStrictEqual } from 'node:util';
import * as uuid from 'uuid';
import * as v from 'valibot';
import type { Destination } from '../model/destination.ts';
import { PostSchema, type Post } from '../model/post.ts';
import { DESTINATION_NAMES, fromStoredNames, POST_NAMES, toStoredNames } from './post-names.ts';
import { wakeShard, workspaceKey, type Key } from './table.ts';

/*
 * A post as an item. What its keys say, and what has its default, is left out, names are short, and ids are bytes: each
 * write costs a unit for each kilobyte of the whole item, and a delivery writes a post two or three times for each platform.
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
  post_type: 'text',
  scheduling: 'immediate',
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

/** Attributes of an item. */
export type Values = Readonly<Record<string, unknown>>;

const withoutDefaults = (values: Values, defaults: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => !(name in defaults && isDeepStrictEqual(value, defaults[name])),
    ),
  );

/** Fields with ids, which are mostly UUIDs. */
const ID_FIELDS = ['profile_id', 'created_by', 'request_id', 'social_account_id'];

/** Returns an id as its item has it: of a UUID its 16 bytes, anything else as it is. */
export const storedId = (id: string): string | Uint8Array =>
  uuid.validate(id) && id === id.toLowerCase() ? uuid.parse(id) : id;

const idOf = (stored: unknown): unknown => (stored instanceof Uint8Array ? uuid.stringify(stored) : stored);

function withIds(values: Values, change: (id: unknown) => unknown): Values {
  const changed = ID_FIELDS.filter(name => name in values).map((name): [string, unknown] => [
    name,
    change(values[name]),
  ]);
  return { ...values, ...Object.fromEntries(changed) };
}

const toStoredId = (id: unknown): unknown => (typeof id === 'string' ? storedId(id) : id);

/** Returns the item of a post. It is in the wake index while `wake_at` is set. */
export function postItem({ workspace_id, post_id, destinations, ...rest }: Post): Values & Key {
  const indexed = rest.wake_at === undefined ? {} : { wake_shard: wakeShard(post_id) };
  const stored = Object.entries(destinations).map(([platform, each]): [string, Values] => [
    platform,
    destinationItem(each),
  ]);
  const values = { ...withoutDefaults(rest, POST_DEFAULTS), destinations: Object.fromEntries(stored) };
  return {
    ...postKey(workspace_id, post_id),
    ...toStoredNames(withIds(values, toStoredId), POST_NAMES),
    ...indexed,
  };
}

/** Returns a destination as the item of its post has it, under its platform. */
export const destinationItem = ({ platform: _, ...rest }: Destination): Values =>
  toStoredNames(withIds(withoutDefaults(rest, DESTINATION_DEFAULTS), toStoredId), DESTINATION_NAMES);

const StoredPostSchema = v.looseObject({
  PK: v.string(),
  SK: v.string(),
  [POST_NAMES.destinations]: v.record(v.string(), v.looseObject({})),
});

/** Reads the item of a post. */
export const PostItemSchema = v.pipe(
  StoredPostSchema,
  v.transform((item): Post => v.parse(PostSchema, withDefaults(item))),
);

const postValues = fromStoredNames(POST_NAMES);
const destinationValues = fromStoredNames(DESTINATION_NAMES);

function withDefaults({
  PK,
  SK,
  [POST_NAMES.destinations]: destinations,
  ...rest
}: v.InferOutput<typeof StoredPostSchema>): Values {
  const complete = Object.entries(destinations).map(([platform, each]) => [
    platform,
    { ...DESTINATION_DEFAULTS, ...withIds(destinationValues(each), idOf), platform },
  ]);
  return {
    ...POST_DEFAULTS,
    ...withIds(postValues(rest), idOf),
    ...postOfKey({ PK, SK }),
    destinations: Object.fromEntries(complete),
  };
}
