import { fingerprint, similarity } from '../text/fingerprint.ts';
import { HOUR } from '../time/instant.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { getPost } from '../store/posts.ts';
import { findFingerprints, putFingerprints, type FingerprintItem } from '../store/fingerprints.ts';
import type { Warning } from './warnings.ts';

/** Posts further apart than this may say the same. */
const WINDOW_MS = 48 * HOUR;
/** From this share of common text on, two posts count as the same. */
const SIMILAR = 0.8;

/** What is compared of a post. */
export interface ComparedText {
  title: string | null;
  description: string | null;
  media_urls: readonly string[];
}

/** Whose it is, and when. */
export interface ComparedPost extends ComparedText {
  workspace_id: string;
  profile_id: string;
  post_id: string;
  /** When it goes live, epoch milliseconds. */
  due_at: number;
}

/**
 * Warns of a post of the same profile within 48 hours that says nearly the same, and remembers this one. The cost is
 * the same however many posts there are (`docs/data-model.md`). Never throws: the post is stored by then, and a
 * warning is not worth its answer.
 */
export async function storeFingerprints(services: Services, post: ComparedPost): Promise<Warning[]> {
  try {
    return await compareAndRemember(services, post);
  } catch (error) {
    log.warn('A post was not compared with others', { post_id: post.post_id, ...describeError(error) });
    return [];
  }
}

async function compareAndRemember(services: Services, post: ComparedPost): Promise<Warning[]> {
  const print = fingerprint(comparedText(post));
  if (!print) return [];
  const trace = { post_id: post.post_id, at: post.due_at, sketch: print.sketch };
  const until = Math.max(post.due_at, services.now()) + WINDOW_MS;
  const found = await putFingerprints(services.table, post.profile_id, print.keys, trace, until);
  return warn(services, post, trace, found);
}

/** The same warning, for a post that is not stored. */
export async function findSimilar(services: Services, post: ComparedPost): Promise<Warning[]> {
  const print = fingerprint(comparedText(post));
  if (!print) return [];
  const found = await findFingerprints(services.table, post.profile_id, print.keys);
  return warn(services, post, { post_id: post.post_id, at: post.due_at, sketch: print.sketch }, found);
}

/** What a post says; the names of its media where it says nothing. */
export function comparedText({ title, description, media_urls }: ComparedText): string {
  const text = [title, description].filter(part => part !== null).join('\n');
  return text.trim() === '' ? media_urls.join('\n') : text;
}

async function warn(
  services: Services,
  post: ComparedPost,
  trace: FingerprintItem,
  found: readonly FingerprintItem[],
): Promise<Warning[]> {
  const nearest = found
    .filter(other => other.post_id !== trace.post_id && Math.abs(other.at - trace.at) <= WINDOW_MS)
    .map(other => ({ ...other, similarity: similarity(trace.sketch, other.sketch) }))
    .filter(other => other.similarity >= SIMILAR)
    .sort((a, b) => b.similarity - a.similarity || b.at - a.at)[0];
  if (!nearest) return [];
  // A deleted post leaves its trace, and is no duplicate any more.
  if (!(await getPost(services.table, post.workspace_id, nearest.post_id))) return [];
  return [
    {
      code: 'DUPLICATE_CONTENT',
      message: 'A post of this profile within 48 hours says nearly the same',
      similar_post_id: nearest.post_id,
      similarity: Math.round(nearest.similarity * 100) / 100,
    },
  ];
}
