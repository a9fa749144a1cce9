import type { ValidationDetail } from '../../http/errors.ts';
import type { Candidate } from '../input/read.ts';
import { errorOf } from '../error.ts';

/**
 * Maximum size of a post's content in bytes. A DynamoDB item holds 400 KB, of which the state of twelve destinations
 * needs a part. The longest text of any platform, 63,206 characters of four bytes, fits.
 */
export const MAX_POST_BYTES = 280_000;

/** Returns an error for the largest field of a post that is too large to store. */
export function sizeErrors(candidate: Candidate): ValidationDetail[] {
  const { title, description, first_comment, media_urls, media_alt_texts, options } = candidate;
  const sizes = Object.entries({ ...options, title, description, first_comment, media_urls, media_alt_texts })
    .map(([field, value]) => ({ field, bytes: Buffer.byteLength(JSON.stringify(value)) }))
    .sort((a, b) => b.bytes - a.bytes);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const [largest] = sizes;
  if (largest === undefined || total <= MAX_POST_BYTES) return [];
  const message = `A post can hold at most ${MAX_POST_BYTES} bytes in all its fields together; this one has ${total}`;
  return [errorOf(largest.field, message)];
}
