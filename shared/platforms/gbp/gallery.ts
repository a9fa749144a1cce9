import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import { parseInstant, SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import { NextPageToken, POSTS_API, readPages, send, withPageToken, type Caller } from './call.ts';

/* Photos and videos of a location. */

/** Google fetches the file before it answers. */
const CREATE_TIMEOUT_MS = 90 * SECOND;
const PAGE_SIZE = '100';

const instant = v.pipe(
  v.optional(v.fallback(v.string(), ''), ''),
  v.transform(text => parseInstant(text)),
);
const optionalText = v.optional(v.fallback(v.nullable(v.string()), null), null);

const MediaItemSchema = v.object({
  name: v.pipe(v.string(), v.regex(/^accounts\/\d+\/locations\/\d+\/media\/.+/)),
  mediaFormat: optionalText,
  sourceUrl: optionalText,
  description: optionalText,
  googleUrl: optionalText,
  /** Epoch milliseconds; null where Google does not say. */
  createTime: instant,
});
export type MediaItem = v.InferOutput<typeof MediaItemSchema>;

/** Adds an item to the gallery. */
export function createMedia(caller: Caller, parent: string, item: JsonObject): Promise<MediaItem> {
  const call = { what: 'Adding the video to the gallery', purpose: 'gallery', method: 'POST' } as const;
  const url = `${POSTS_API}/${parent}/media`;
  return send(caller, { ...call, url, json: item, timeoutMs: CREATE_TIMEOUT_MS }, MediaItemSchema);
}

export function getMedia(caller: Caller, name: string): Promise<MediaItem> {
  const call = { what: 'Reading the video', purpose: 'read', method: 'GET' } as const;
  return send(caller, { ...call, url: `${POSTS_API}/${name}` }, MediaItemSchema);
}

/** Returns all items of the gallery. Their order is not documented. */
export function listMedia(caller: Caller, parent: string): Promise<MediaItem[]> {
  const schema = v.object({
    mediaItems: v.optional(v.array(MediaItemSchema), []),
    nextPageToken: NextPageToken,
  });
  return readPages(async pageToken => {
    const query = withPageToken({ pageSize: PAGE_SIZE }, pageToken);
    const call = { what: 'Reading the gallery', purpose: 'read', method: 'GET' } as const;
    const page = await send(caller, { ...call, url: `${POSTS_API}/${parent}/media`, query }, schema);
    return { items: page.mediaItems, next: page.nextPageToken };
  });
}

const PhotoSchema = v.object({ thumbnailUrl: optionalText, googleUrl: optionalText });

/** Returns the URL of a location's profile photo; null where there is none, or it cannot be read: it only decorates. */
export async function profilePhoto(caller: Caller, parent: string): Promise<string | null> {
  const call = { what: 'Reading the profile photo', purpose: 'read', method: 'GET' } as const;
  try {
    const photo = await send(caller, { ...call, url: `${POSTS_API}/${parent}/media/profile` }, PhotoSchema);
    return photo.thumbnailUrl ?? photo.googleUrl;
  } catch (error) {
    if (error instanceof PlatformError) return null;
    throw error;
  }
}
