import { createHash } from 'node:crypto';
import { PlatformError } from '../../platforms/contract/error.ts';
import type { PictureNeeds } from '../../platforms/contract/pictures.ts';
import { describeError, log } from '../../runtime/log.ts';
import { DERIVED, headObject, publicUrlOf, putObject, readObject, type Bucket } from '../../store/objects.ts';
import { hostUnavailable } from '../fetch/host-errors.ts';

/*
 * Converted images, stored by the hash of their source and the recipe, so that a retry, or another platform with the
 * same recipe, converts nothing again. Two workers that convert at once store the same bytes.
 */

/** Increased with every change of the conversion: images that were stored before are then converted again. */
const RECIPE_VERSION = 1;

/** The recipe of an image that is stored as it was sent but for its metadata, for platforms that fetch it by URL. */
export const UNCONVERTED = 'unconverted';

/** Returns the name of a recipe; equal needs have equal names. */
export function recipeName(needs: PictureNeeds): string {
  const { formats, ...rest } = needs;
  const entries = Object.entries({ ...rest, formats: [...formats].sort(), version: RECIPE_VERSION });
  return createHash('sha256')
    .update(JSON.stringify(entries.sort(byName)))
    .digest('hex')
    .slice(0, 16);
}

const byName = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1);

const keyOf = (sha256: string, recipe: string) => `${DERIVED}${sha256}/${recipe}`;

/** Returns a converted image; null where there is none or storage fails, since it can be converted again. */
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
    log.warn('Could not read a converted image', describeError(error));
    return null;
  }
}

/** Stores a converted image. A storage failure costs another conversion, not the post. */
export async function storeDerived(
  bucket: Bucket,
  sha256: string,
  recipe: string,
  { bytes, type }: { bytes: Uint8Array; type: string },
): Promise<void> {
  try {
    await putObject(bucket, keyOf(sha256, recipe), bytes, type);
  } catch (error) {
    log.warn('Could not store a converted image', describeError(error));
  }
}

/** Stores an image unless it is stored already, and returns its public URL. Throws PlatformError `transient`. */
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
    const name = error instanceof Error ? error.name : 'Error';
    throw hostUnavailable(`The image could not be stored (${name})`);
  }
}
