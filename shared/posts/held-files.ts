import { inspect } from '../media/inspect.ts';
import type { MediaFacts } from '../model/media.ts';
import type { PlatformId } from '../model/platform.ts';
import type { PostContent } from '../platforms/kit/draft.ts';
import { describeError, log } from '../runtime/log.ts';
import { headObject, keyOfUrl, MEDIA, readObject, type Bucket } from '../store/objects.ts';
import { knownFaults, placedFiles, type FileFindings, type KnownFacts } from './known-files.ts';

/**
 * Looks at those files of a post that lie with the service, and holds them against the limits of each platform that
 * gets them. Files elsewhere are not asked for: that would make a post wait for strangers. Storage that does not answer
 * costs the look, not the post: files are looked at again when they are published.
 */
export async function heldFileFaults(
  bucket: Bucket,
  content: PostContent,
  platforms: readonly PlatformId[],
): Promise<FileFindings> {
  const urls = platforms.flatMap(platform => placedFiles(content, platform).map(({ url }) => url));
  const looks = [...new Set(urls)].map(async url => [url, await lookAtHeld(bucket, url)] as const);
  const found = await Promise.all(looks);
  const facts: KnownFacts = new Map(found.flatMap(([url, known]) => (known ? [[url, known]] : [])));
  return knownFaults(content, platforms, facts);
}

/** Null for a file that lies elsewhere, is not there yet, or cannot be looked at now. */
async function lookAtHeld(bucket: Bucket, url: string): Promise<MediaFacts | null> {
  const key = keyOfUrl(bucket, url);
  if (key?.startsWith(MEDIA) !== true) return null;
  try {
    const head = await headObject(bucket, key);
    if (!head) return null;
    const read = async (start: number, end: number) =>
      (await readObject(bucket, key, { start, end, etag: head.etag })) ?? new Uint8Array();
    const look = await inspect({ size: head.size, read });
    return look.type === 'known' ? look.facts : null;
  } catch (error) {
    log.warn('A file of the service could not be looked at', describeError(error));
    return null;
  }
}
