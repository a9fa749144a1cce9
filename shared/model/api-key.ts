import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'sps_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 34;
const CHECKSUM_LENGTH = 6;

/**
 * A new key: `sps_`, 34 random base62 characters and a 6-character CRC-32 of everything before, so that a damaged key
 * is refused without a look-up.
 */
export function newApiKey(): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

/** True for the form of a key with a right checksum. */
export function isApiKey(text: string): boolean {
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return /^sps_[0-9A-Za-z]{40}$/.test(text) && text.slice(-CHECKSUM_LENGTH) === checksum(body);
}

/** What is stored of a key. It has 200 random bits, so a plain hash suffices. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The beginning of a key, by which its owner recognises it in a list. */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, PREFIX.length + 6);
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte: what lies above would favour the first characters.
    for (const byte of randomBytes(length)) if (byte < 248) text += ALPHABET[byte % 62] ?? '';
  }
  return text.slice(0, length);
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = (ALPHABET[rest % 62] ?? '') + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
