import type { HttpClient } from '../../net/http.ts';
import type { PostType } from '../../model/platform.ts';
import { describeImage, shrinkImage } from '../image.ts';
import type { MediaCategory } from './client.ts';
import { mediaRejected, openOrigin, type Origin } from './origin.ts';

const MIB = 1024 * 1024;
const IMAGE_LIMIT = 5 * MIB;
const GIF_LIMIT = 15 * MIB;
const VIDEO_LIMIT = 512 * MIB;
/** Subscribers may post longer videos; the service's own limit then is the nearer one. */
const SUBSCRIBER_VIDEO_LIMIT = 1024 * MIB;
/** A picture is held in memory to be shrunk. */
const DOWNLOAD_LIMIT = 40 * MIB;

/** What X is told, by what the bytes are. */
const IMAGE_TYPES: Readonly<Record<string, string>> = {
  'image/jpeg': 'image/jpeg',
  'image/png': 'image/png',
  'image/apng': 'image/png',
  'image/webp': 'image/webp',
  'image/gif': 'image/gif',
};
const VIDEO_TYPES: Readonly<Record<string, string>> = {
  'video/mp4': 'video/mp4',
  'video/x-m4v': 'video/mp4',
  'video/quicktime': 'video/quicktime',
};

/** A file as X takes it. */
export interface Media {
  category: MediaCategory;
  type: string;
  size: number;
  read: Origin['read'];
  close: Origin['close'];
}

export interface MediaOrder {
  url: string;
  post_type: PostType;
  /** No other file goes into the same post. */
  alone: boolean;
  /** X calls accounts without one `None`. */
  subscriber: boolean;
  /** For reading; milliseconds. */
  budgetMs: number;
}

/** Opens a file of a post. Throws PlatformError `rejected` for what X does not take, naming limit and value. */
export async function openMedia(http: HttpClient, order: MediaOrder): Promise<Media> {
  const origin = await openOrigin(http, order.url, order.budgetMs);
  try {
    return order.post_type === 'video' ? videoOf(origin, order) : await imageOf(origin, order);
  } catch (error) {
    origin.close();
    throw error;
  }
}

function videoOf(origin: Origin, { subscriber }: MediaOrder): Media {
  const type = knownType(origin, VIDEO_TYPES, 'MP4 and MOV videos');
  assertSize('video', origin.size, subscriber ? SUBSCRIBER_VIDEO_LIMIT : VIDEO_LIMIT);
  return { category: 'tweet_video', type, size: origin.size, read: origin.read, close: origin.close };
}

async function imageOf(origin: Origin, { alone }: MediaOrder): Promise<Media> {
  const type = knownType(origin, IMAGE_TYPES, 'JPEG, PNG, WebP and GIF images');
  assertSize('image', origin.size, DOWNLOAD_LIMIT);
  const bytes = await origin.read(0, origin.size);
  origin.close();
  if (type === 'image/gif' && (await describeImage(bytes)).animated) {
    if (!alone) throw mediaRejected('X takes an animated GIF only alone in a post');
    assertSize('animated GIF', bytes.length, GIF_LIMIT);
    return inMemory('tweet_gif', type, bytes);
  }
  if (bytes.length <= IMAGE_LIMIT) return inMemory('tweet_image', type, bytes);
  const smaller = await shrinkImage(bytes, { maxBytes: IMAGE_LIMIT });
  return inMemory('tweet_image', smaller.type, smaller.bytes);
}

function inMemory(category: MediaCategory, type: string, bytes: Uint8Array): Media {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    category,
    type,
    size: bytes.length,
    read: (start, length) => Promise.resolve(buffer.subarray(start, start + length)),
    close: () => undefined,
  };
}

function knownType({ type }: Origin, known: Readonly<Record<string, string>>, wanted: string): string {
  const found = known[type ?? ''];
  if (found !== undefined) return found;
  throw mediaRejected(`X takes ${wanted}; the URL gives ${type ?? 'no media file'}`);
}

function assertSize(what: string, size: number, limit: number): void {
  if (size <= limit) return;
  throw mediaRejected(`The ${what} has ${size} bytes, X takes at most ${limit}`);
}
