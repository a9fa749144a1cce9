import * as v from 'valibot';
import { SECOND } from '../../time/instant.ts';
import { isGraphError } from '../families/meta/errors.ts';
import { CreatedSchema, GraphId } from '../families/meta/json.ts';
import { onAccount, onObject, writingTo, type Accesses } from './access.ts';

/* The calls for live media: lists, permalinks, comments. All throw PlatformError. */

const Permalink = v.object({ permalink: v.optional(v.pipe(v.string(), v.url())) });

/** Returns the public URL of a media; null where Instagram does not name it yet. */
export async function permalinkOf(
  accesses: Accesses,
  id: string,
  timeoutMs = 15 * SECOND,
): Promise<string | null> {
  const query = { fields: 'id,permalink' };
  const call = { what: 'Reading the link of the post', purpose: 'read', method: 'GET', query } as const;
  const { permalink = null } = await onObject(accesses, client =>
    client.call({ ...call, path: `/${id}`, timeoutMs }, Permalink),
  );
  return permalink;
}

const MediaSchema = v.object({
  id: GraphId,
  timestamp: v.pipe(
    v.string(),
    v.transform(text => Date.parse(text)),
    v.number(),
  ),
  caption: v.nullish(v.string()),
  permalink: v.nullish(v.string()),
  media_type: v.nullish(v.string()),
  media_product_type: v.nullish(v.string()),
});
/** A media of the account. Null for what the host does not tell. */
export interface LiveMedia {
  id: string;
  /** Epoch milliseconds. */
  published_at: number;
  /** '' where it has none. */
  caption: string | null;
  permalink: string | null;
  media_type: string | null;
  product: string | null;
}

const ListSchema = v.object({ data: v.array(MediaSchema) });

const ALL_FIELDS = 'id,caption,media_type,media_product_type,permalink,timestamp';
const PLAIN_FIELDS = 'id,media_type,permalink,timestamp';

/**
 * Returns the latest media of the account, newest first. Stories are listed on their own. The reference names `caption`
 * and `media_product_type` for one of the hosts only, although both are known to serve them.
 */
export async function recentMedia(accesses: Accesses, edge: 'media' | 'stories'): Promise<LiveMedia[]> {
  try {
    return await listMedia(accesses, edge, ALL_FIELDS, '');
  } catch (error) {
    if (!isGraphError(error, 100, 0)) throw error;
    return listMedia(accesses, edge, PLAIN_FIELDS, null);
  }
}

async function listMedia(
  accesses: Accesses,
  edge: string,
  fields: string,
  missingCaption: '' | null,
): Promise<LiveMedia[]> {
  const query = { fields, limit: '50' };
  const call = { what: 'Listing the published media', purpose: 'read', method: 'GET', query } as const;
  const { data } = await onAccount(accesses, (client, id) =>
    client.call({ ...call, path: `/${id}/${edge}` }, ListSchema),
  );
  return data.map(({ id, timestamp, caption, permalink, media_type, media_product_type }) => ({
    id,
    published_at: timestamp,
    caption: caption ?? missingCaption,
    permalink: permalink ?? null,
    media_type: media_type ?? null,
    product: media_product_type ?? null,
  }));
}

/** Comments on a media. With the parameter `fields`, Instagram would create the comment and answer with an error. */
export async function createComment(accesses: Accesses, mediaId: string, text: string): Promise<string> {
  const form = { message: text };
  const call = { what: 'Commenting', purpose: 'commit', method: 'POST', form } as const;
  const { id } = await writingTo(accesses, client =>
    client.call({ ...call, path: `/${mediaId}/comments` }, CreatedSchema),
  );
  return id;
}

const CommentsSchema = v.object({
  data: v.array(v.object({ id: GraphId, text: v.optional(v.string(), ''), username: v.nullish(v.string()) })),
});
export type Comment = v.InferOutput<typeof CommentsSchema>['data'][number];

export async function commentsOf(accesses: Accesses, mediaId: string): Promise<Comment[]> {
  const query = { fields: 'id,text,username,timestamp', limit: '50' };
  const call = { what: 'Reading the comments', purpose: 'read', method: 'GET', query } as const;
  const { data } = await onObject(accesses, client =>
    client.call({ ...call, path: `/${mediaId}/comments` }, CommentsSchema),
  );
  return data;
}
