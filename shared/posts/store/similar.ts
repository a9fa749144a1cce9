import { fingerprint, similarity, sketchOf, type Fingerprint } from '../../text/fingerprint.ts';
import { HOUR } from '../../time/instant.ts';
import { describeError, log } from '../../runtime/log.ts';
import type { Services } from '../../runtime/services.ts';
import { getPosts } from '../../store/posts.ts';
import { listFingerprints, putFingerprint, type FingerprintItem } from '../../store/fingerprints.ts';
import type { DuplicateWarning } from '../warning.ts';

/** Posts further apart than this are not compared. */
const WINDOW_MS = 48 * HOUR;
/** Similarity from which two posts count as duplicates. */
const MIN_SIMILARITY = 0.8;
/** Posts that are read and compared. Each costs at least a read unit. */
const MAX_CANDIDATES = 10;

/** The content by which posts are compared. */
export interface ComparedText {
  title: string | null;
  description: string | null;
  media_urls: readonly string[];
}

export interface ComparedPost extends ComparedText {
  workspace_id: string;
  profile_id: string;
  post_id: string;
  /** Epoch milliseconds. */
  due_at: number;
}

/**
 * Stores the fingerprint of a post and returns a warning where a post of the same profile within 48 hours is nearly
 * equal. The cost does not depend on the number of posts outside of these hours, and is bounded within them
 * (`docs/data-model.md`). Never throws: the post is stored by then, and the response matters more than the warning.
 */
export async function storeFingerprint(services: Services, post: ComparedPost): Promise<DuplicateWarning[]> {
  try {
    return await storeAndCompare(services, post);
  } catch (error) {
    log.warn('Could not compare a post with others', { post_id: post.post_id, ...describeError(error) });
    return [];
  }
}

/**
 * Of two equal posts that are created at the same time, at least one sees the other: each is stored, then its
 * fingerprint, before the fingerprints and posts of others are read consistently.
 */
async function storeAndCompare(services: Services, post: ComparedPost): Promise<DuplicateWarning[]> {
  const print = fingerprint(comparedText(post));
  if (!print) return [];
  const { profile_id, post_id, due_at } = post;
  const item = { profile_id, post_id, due_at, keys: print.keys };
  await putFingerprint(services.table, item, due_at + WINDOW_MS);
  return duplicateWarnings(services, post, print);
}

/** Returns the same warning for a post that is not stored. */
export async function findSimilar(services: Services, post: ComparedPost): Promise<DuplicateWarning[]> {
  const print = fingerprint(comparedText(post));
  return print ? duplicateWarnings(services, post, print) : [];
}

/** Returns the text by which a post is compared; without any text, the URLs of its media. */
export function comparedText({ title, description, media_urls }: ComparedText): string {
  const text = [title, description].filter(part => part !== null).join('\n');
  return text.trim() === '' ? media_urls.join('\n') : text;
}

async function duplicateWarnings(
  { table }: Services,
  post: ComparedPost,
  { keys, sketch }: Fingerprint,
): Promise<DuplicateWarning[]> {
  const { workspace_id, profile_id, due_at } = post;
  const stored = await listFingerprints(table, profile_id, due_at - WINDOW_MS, due_at + WINDOW_MS);
  const others = await getPosts(table, workspace_id, candidatesFor(post, keys, stored));
  const nearest = others
    .filter(other => isCompared(post, other))
    .map(other => ({ ...other, similarity: similarity(sketch, sketchOf(comparedText(other)) ?? []) }))
    .filter(other => other.similarity >= MIN_SIMILARITY)
    .sort((a, b) => b.similarity - a.similarity || b.due_at - a.due_at)[0];
  if (!nearest) return [];
  return [
    {
      code: 'DUPLICATE_CONTENT',
      message: 'A post of this profile within 48 hours has nearly the same content',
      similar_post_id: nearest.post_id,
      similarity: Math.round(nearest.similarity * 100) / 100,
    },
  ];
}

/** Returns the ids of the posts to compare with: those that share most keys first, of these the nearest in time. */
function candidatesFor(
  { post_id, due_at }: ComparedPost,
  keys: readonly number[],
  stored: readonly FingerprintItem[],
): string[] {
  const found = stored
    .map(other => ({
      post_id: other.post_id,
      shared: keys.filter((key, index) => other.keys[index] === key).length,
      distance: Math.abs(other.due_at - due_at),
    }))
    .filter(other => other.shared > 0 && other.post_id !== post_id)
    .sort((a, b) => b.shared - a.shared || a.distance - b.distance);
  return [...new Set(found.map(other => other.post_id))].slice(0, MAX_CANDIDATES);
}

/** An edit may have moved a post to another time or profile; its old fingerprint remains until it expires. */
const isCompared = (post: ComparedPost, other: ComparedPost) =>
  other.profile_id === post.profile_id && Math.abs(other.due_at - post.due_at) <= WINDOW_MS;
