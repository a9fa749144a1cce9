import { createHash } from 'node:crypto';
import type { PublishJob } from '../contract/publisher.ts';

const ALPHABET = '234567abcdefghijklmnopqrstuvwxyz';
const LENGTH = 13;
const CLOCK_BITS = 10n;

/**
 * The key of a post's record, a TID (https://atproto.com/specs/tid): 53 bits of microseconds, 10 bits of clock id.
 *
 * Every attempt gets the same key, which is what makes publishing repeatable. The due time is known to the
 * millisecond; its microseconds and the clock id come from a hash, so that posts of one account that are due together
 * get keys of their own. A hash of 20 bits meets another post now and then: `taken` says how many keys of this post
 * were found in use.
 */
export function recordKey(
  { post_id, account, due_at }: Pick<PublishJob, 'post_id' | 'account' | 'due_at'>,
  taken = 0,
): string {
  const name = [post_id, account.platform_user_id, ...(taken > 0 ? [taken] : [])].join(' ');
  const hash = createHash('sha256').update(name).digest();
  const microseconds = BigInt(due_at) * 1000n + BigInt(hash.readUInt32BE(0) % 1000);
  const clockId = BigInt(hash.readUInt16BE(4) % 1024);
  return encode((microseconds << CLOCK_BITS) | clockId);
}

/** Base 32 that sorts as its number does. */
function encode(value: bigint): string {
  const digits = Array.from({ length: LENGTH }, (_, place) => {
    const shift = BigInt(5 * (LENGTH - 1 - place));
    return ALPHABET.charAt(Number((value >> shift) & 31n));
  });
  return digits.join('');
}
