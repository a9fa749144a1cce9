import type { Detail } from '../http/errors.ts';
import type { CheckedPost } from './check.ts';

/**
 * Most bytes of what a post says. DynamoDB takes items of 400 KB, and twelve destinations need room as they go on; the
 * longest text that any platform takes, 63,206 characters of four bytes, fits.
 */
export const MOST_BYTES = 280_000;

/** A fault of the largest field, where a post is too large to be kept. */
export function sizeFaults({
  title,
  description,
  first_comment,
  media_urls,
  options,
}: CheckedPost): Detail[] {
  const sizes = Object.entries({ ...options, title, description, first_comment, media_urls })
    .map(([field, value]) => ({ field, bytes: Buffer.byteLength(JSON.stringify(value)) }))
    .sort((a, b) => b.bytes - a.bytes);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const [largest] = sizes;
  if (largest === undefined || total <= MOST_BYTES) return [];
  const message = `Is too large: a post says at most ${MOST_BYTES} bytes in all its fields, this one ${total}`;
  return [{ field: largest.field, message, platform: null }];
}
