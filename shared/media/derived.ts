import { createHash } from 'node:crypto';
import { PlatformError } from '../platforms/contract/error.ts';
import type { PictureNeeds } from '../platforms/contract/pictures.ts';
import { log } from '../runtime/log.ts';
import { DERIVED, headObject, publicUrlOf, putObject, readObject, type Bucket } from '../store/objects.ts';
import { hostFails } from './refusal.ts';

/*
 * What was made of media, by the content that it was made from and the recipe. So a retry, or another platform with the
 * same recipe, makes nothing anew. Two that make it at once store the same bytes: the last one wins, and nothing changes.
 */

/** Grows with every change of how pictures are made: what lies there from before is then made anew. */
const VERSION = 1;

/** Where a picture's original lies for a platform that fetches it by its address. */
export const AS_IT_IS = 'original';

/** The name of a recipe: the same needs have the same, whoever states them. */
export function recipeName(needs: PictureNeeds): string {
  const { formats, ...rest } = needs;
  const facts = Object.entries({ ...rest, formats: [...formats].sort(), version: VERSION }).sort(byName);
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}

const byName = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1);

const keyOf = (sha256: string, recipe: string) => `${DERIVED}${sha256}/${recipe}`;

/** What was made before; null for nothing, and where storage does not answer: then it is made anew. */
export async function readDerived(
  bucket: Bucket,
  sha256: string,
  recipe: string,
): Promise<{ bytes: Buffer; type: string } | null> {
  const key = keyOf(sha256, recipe);
  try {
    const head = await headObject(bucket, key);
    const bytes = head && (await readObject(bucket, key, { start: 0, end: head.size, etag: head.etag }));
    return head && bytes?.byteLength === head.size ? { bytes, type: head.type } : null;
  } catch (error) {
    log.warn('A derived picture could not be read', { error_name: nameOf(error) });
    return null;
  }
}

/** Keeps what was made. Storage that does not answer costs a repetition, not the post. */
export async function keepDerived(
  bucket: Bucket,
  sha256: string,
  recipe: string,
  { bytes, type }: { bytes: Uint8Array; type: string },
): Promise<void> {
  try {
    await putObject(bucket, keyOf(sha256, recipe), bytes, type);
  } catch (error) {
    log.warn('A derived picture could not be kept', { error_name: nameOf(error) });
  }
}

/** The public address of a picture, which lies there from then on. Throws PlatformError `transient`. */
export async function publishDerived(
  bucket: Bucket,
  sha256: string,
  recipe: string,
  { bytes, type }: { bytes: Uint8Array; type: string },
): Promise<string> {
  const key = keyOf(sha256, recipe);
  try {
    if (!(await headObject(bucket, key))) await putObject(bucket, key, bytes, type);
    return publicUrlOf(bucket, key);
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw hostFails(`The picture could not be stored (${nameOf(error)})`);
  }
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : 'Error');
