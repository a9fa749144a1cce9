import * as v from 'valibot';
import type { Post } from '../model/post.ts';
import { POST_PREFIX, postItem, PostItemSchema, type Values } from './post-item.ts';
import { POST_NAMES } from './post-names.ts';
import { getItems } from './query.ts';
import type { Key, Table } from './table.ts';
import { newWriteId } from './write-id.ts';

/*
 * The content of a long post as an item of its own. It does not change while the post is delivered, and each of the two or
 * three writes for each platform costs a unit for each kilobyte of the item that it changes.
 */

/** Up to this size, as for a single platform, a second item costs more than it saves. Bytes of JSON. */
const MAX_BYTES_IN_POST = 1024;

const CONTENT_NAMES: readonly string[] = [
  POST_NAMES.title,
  POST_NAMES.description,
  POST_NAMES.media_urls,
  POST_NAMES.media_alt_texts,
  POST_NAMES.first_comment,
  POST_NAMES.options,
];

const ID = POST_NAMES.content_id;

/** The item of a post or of its content. Both have the id of the content where it is apart. */
export const StoredItemSchema = v.looseObject({
  PK: v.string(),
  SK: v.string(),
  [ID]: v.optional(v.string()),
});
export type StoredItem = v.InferOutput<typeof StoredItemSchema>;

export interface PostItems {
  post: Values;
  /** Null where the post's own item has its content. */
  content: Values | null;
}

/** Returns the items of a post, for a write of both. */
export function itemsOf({ content_id: _, ...post }: Post): PostItems {
  const whole = postItem(post);
  if (!isApart(post, whole)) return { post: whole, content: null };
  const id = { [ID]: newWriteId() };
  const state = Object.fromEntries(Object.entries(whole).filter(([name]) => !CONTENT_NAMES.includes(name)));
  return { post: { ...state, ...id }, content: { ...contentKey(whole), ...contentOf(whole), ...id } };
}

function isApart({ destinations }: Post, whole: Values & Key): boolean {
  if (Object.keys(destinations).length < 2) return false;
  return Buffer.byteLength(JSON.stringify(contentOf(whole))) > MAX_BYTES_IN_POST;
}

const contentOf = (item: Values): Values =>
  Object.fromEntries(Object.entries(item).filter(([name]) => CONTENT_NAMES.includes(name)));

/** Returns the key of the content of the post with this key. */
export const contentKey = ({ PK, SK }: Key): Key => ({ PK, SK: `CONTENT#${SK.slice(POST_PREFIX.length)}` });

/** Returns the post whose item was written, with the content that it had before. */
export function withContentOf(post: Post, written: Values): Post {
  return v.parse(PostItemSchema, { ...contentOf(postItem(post)), ...written });
}

/**
 * Reads the contents that are apart and returns the whole posts, in the same order; null for a post whose content was
 * replaced or deleted since its item was read.
 */
export async function wholePosts(
  table: Table,
  items: readonly StoredItem[],
  consistent: boolean,
): Promise<(Post | null)[]> {
  const apart = items.filter(item => item[ID] !== undefined);
  const contents = await getItems(table, apart.map(contentKey), StoredItemSchema, { consistent });
  const byId = new Map(contents.map(content => [content[ID], content]));
  return items.map(item => {
    if (item[ID] === undefined) return v.parse(PostItemSchema, item);
    const content = byId.get(item[ID]);
    return content ? v.parse(PostItemSchema, { ...content, ...item }) : null;
  });
}
