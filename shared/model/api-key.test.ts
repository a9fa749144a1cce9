import { describe, expect, test } from '@jest/globals';
import { apiKeyPrefix, hashApiKey, isApiKey, newApiKey } from './api-key.ts';

const keys = Array.from({ length: 1000 }, newApiKey);

describe('an API key', () => {
  test('is a prefix and 40 letters and digits, which need no escaping in a URL, shell or form', () => {
    for (const key of keys) expect(key).toMatch(/^sps_[0-9A-Za-z]{40}$/);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.every(isApiKey)).toBe(true);
  });

  test('is recognised as mistyped by its checksum', () => {
    for (const key of keys.slice(0, 100)) {
      for (let index = 0; index < key.length; index += 1) {
        const other = key[index] === 'a' ? 'b' : 'a';
        expect(isApiKey(key.slice(0, index) + other + key.slice(index + 1))).toBe(false);
      }
      const broken = [
        key.slice(1),
        key.slice(0, -1),
        `${key}=`,
        `${key} `,
        key.toLowerCase(),
        key.toUpperCase(),
        '',
      ];
      expect(broken.filter(isApiKey)).toEqual([]);
    }
  });

  test('is stored as its SHA-256 and shown as its first ten characters', () => {
    const key = 'sps_' + 'A'.repeat(40);
    expect(hashApiKey(key)).toMatch(/^[0-9a-f]{64}$/);
    expect(apiKeyPrefix(key)).toBe('sps_AAAAAA');
  });
});
