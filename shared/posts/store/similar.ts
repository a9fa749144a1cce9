import { fingerprint, similarity } from '../../text/fingerprint.ts';
import { HOUR } from '../../time/instant.ts';
import { describeError, log } from '../../runtime/log.ts';
import type { Services } from '../../runtime/services.ts';
import { getPost } from '../../store/posts.ts';
import { findFingerprints, putFingerprints, type FingerprintItem } from '../../store/fingerprints.ts';
import type { DuplicateWarning } from '../warning.ts';

/** Posts further apart than this are not compared. */
const WINDOW_MS = 48 * HOUR;
/** Similarity from which two posts count as duplicates. */
const MIN_SIMILARITY = 0.8;

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
 * equal. The cost does not depend on the number of posts (`docs/data-model.md`). Never throws: the post is stored by
 * then, and the response matters more than the warning.
 */
export async function storeFingerprints(services: Services, post: ComparedPost): Promise<DuplicateWarning[]> {
  try {
    return await storeAndCompare(services, post);
  } catch (error) {
    log.warn('Could not compare a post with others', { post_id: post.post_id, ...describeError(error) });
    return [];
  }
}

async function storeAndCompare(services: Services, post: ComparedPost): Promise<DuplicateWarning[]> {
  const print = fingerprint(comparedText(post));
  if (!print) return [];
  const item = { post_id: post.post_id, at: post.due_at, sketch: print.sketch };
  const until = Math.max(post.due_at, services.now()) + WINDOW_MS;
  const found = await putFingerprints(services.table, post.profile_id, print.keys, item, until);
  return duplicateWarnings(services, post, item, found);
}

/** Returns the same warning for a post that is not stored. */
export async function findSimilar(services: Services, post: ComparedPost): Promise<DuplicateWarning[]> {
  const print = fingerprint(comparedText(post));
  if (!print) return [];
  const found = await findFingerprints(services.table, post.profile_id, print.keys);
  return duplicateWarnings(
    services,
    post,
    { post_id: post.post_id, at: post.due_at, sketch: print.sketch },
    found,
  );
}

/** Returns the text by which a post is compared; without any text, the URLs of its media. */
export function comparedText({ title, description, media_urls }: ComparedText): string {
  const text = [title, description].filter(part => part !== null).join('\n');
  return text.trim() === '' ? media_urls.join('\n') : text;
}

async function duplicateWarnings(
  services: Services,
  post: ComparedPost,
  item: FingerprintItem,
  found: readonly FingerprintItem[],
): Promise<DuplicateWarning[]> {
  const nearest = found
    .filter(other => other.post_id !== item.post_id && Math.abs(other.at - item.at) <= WINDOW_MS)
    .map(other => ({ ...other, similarity: similarity(item.sketch, other.sketch) }))
    .filter(other => other.similarity >= MIN_SIMILARITY)
    .sort((a, b) => b.similarity - a.similarity || b.at - a.at)[0];
  if (!nearest) return [];
  // The fingerprint of a deleted post remains until it expires.
  if (!(await getPost(services.table, post.workspace_id, nearest.post_id))) return [];
  return [
    {
      code: 'DUPLICATE_CONTENT',
      message: 'A post of this profile within 48 hours has nearly the same content',
      similar_post_id: nearest.post_id,
      similarity: Math.round(nearest.similarity * 100) / 100,
    },
  ];
}
