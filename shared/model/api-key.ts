import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'sps_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 34;
const CHECKSUM_LENGTH = 6;

/**
 * Returns a new key: `sps_`, 34 random base62 characters and a 6-character CRC-32 checksum of both, so that a mistyped
 * key is refused without a database read.
 */
export function newApiKey(): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

/** Whether a text has the form of a key with a correct checksum. */
export function isApiKey(text: string): boolean {
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return /^sps_[0-9A-Za-z]{40}$/.test(text) && text.slice(-CHECKSUM_LENGTH) === checksum(body);
}

/** Returns the hash under which a key is stored. A key has 200 random bits, so an unsalted hash is enough. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Returns the first characters of a key, by which its owner recognises it in a list. */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, PREFIX.length + 6);
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte; larger values would make the first characters more likely.
    for (const byte of randomBytes(length)) if (byte < 248) text += ALPHABET[byte % 62] ?? '';
  }
  return text.slice(0, length);
}

function checksum(text: string): string {
  let remaining = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = (ALPHABET[remaining % 62] ?? '') + digits;
    remaining = Math.floor(remaining / 62);
  }
  return digits;
}
