import type { SSMClient } from '@aws-sdk/client-ssm';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  inOrderAt,
  loadKeyRing,
  newKeyRing,
  rotated,
  seal,
  sign,
  unseal,
  verify,
  type KeyRing,
} from './key-ring.ts';

const MINUTE = 60_000;
const ring = newKeyRing();

describe('a sealed text', () => {
  test('is unsealed for the owner it is bound to', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, owner) => {
        expect(unseal(ring, owner, seal(ring, owner, text))).toBe(text.toWellFormed());
      }),
    );
  });

  test.each([
    ['another owner', (text: string) => unseal(ring, 'b', text)],
    ['another purpose', (text: string) => unseal(ring, 'a', text, 'responses')],
    ['another key ring', (text: string) => unseal(newKeyRing(), 'a', text)],
    ['a key of the same id', (text: string) => unseal(withOtherKey(ring), 'a', text)],
  ])('is not unsealed for %s', (_, open) => {
    expect(() => open(seal(ring, 'a', 'secret'))).toThrow();
  });

  test.each([0, 4, 8, 12, 15])('is not unsealed with an authentication tag of %i bytes', length => {
    const parts = seal(ring, 'a', 'secret').split('.');
    const tag = Buffer.from(parts[4]!, 'base64url').subarray(0, length).toString('base64url');
    expect(() => unseal(ring, 'a', [...parts.slice(0, 4), tag].join('.'))).toThrow();
  });

  test('is not unsealed after any change', () => {
    const sealed = seal(ring, 'a', 'secret');
    for (let index = 0; index < sealed.length; index += 1) {
      const other = sealed[index] === 'A' ? 'B' : 'A';
      const altered = sealed.slice(0, index) + other + sealed.slice(index + 1);
      if (isSameBytes(altered, sealed)) continue;
      expect(() => unseal(ring, 'a', altered)).toThrow();
    }
  });
});

describe('a signature', () => {
  test('is valid for its purpose and text only, whatever their length', () => {
    const long = `cursor:${'x'.repeat(100_000)}`;
    const signature = sign(ring, long, 'text');
    expect(verify(ring, long, 'text', signature)).toBe(true);
    expect(verify(ring, `${long}y`, 'text', signature)).toBe(false);
    expect(verify(ring, long, 'other', signature)).toBe(false);
    expect(verify(newKeyRing(), long, 'text', signature)).toBe(false);
  });
});

describe('a rotation', () => {
  test('adds a key that seals once every container has read it', () => {
    const now = 1_000_000;
    const next = rotated(ring, now);
    const [added] = next.keys;
    expect(next.keys).toHaveLength(2);
    expect(inOrderAt(next, now).keys[0]!.id).toBe(ring.keys[0]!.id);
    expect(inOrderAt(next, now + 14 * MINUTE).keys[0]!.id).toBe(ring.keys[0]!.id);
    expect(inOrderAt(next, now + 15 * MINUTE).keys[0]!.id).toBe(added!.id);
  });

  test('leaves everything readable for containers with the old and the new ring', async () => {
    let stored: KeyRing = newKeyRing();
    const ssm = { send: () => Promise.resolve({ Parameter: { Value: JSON.stringify(stored) } }) } as never;
    let now = Date.UTC(2026, 11, 1);
    const load = () => loadKeyRing(ssm, '/rotation', now);
    // Every minute a container that has just read the ring seals, and one that read it at most 5 minutes ago unseals.
    const before = seal(await load(), 'a', 'before');
    stored = rotated(stored, now);
    for (let minute = 0; minute < 30; minute += 1) {
      const old = await load();
      const fresh = inOrderAt(stored, now);
      expect(unseal(old, 'a', seal(fresh, 'a', 'text'))).toBe('text');
      expect(unseal(fresh, 'a', seal(old, 'a', 'text'))).toBe('text');
      now += MINUTE;
    }
    const after = await load();
    expect(after.keys[0]!.id).toBe(stored.keys[0]!.id);
    expect(unseal(after, 'a', before)).toBe('before');
  });

  test('is read every five minutes; the old ring stays in use while SSM fails', async () => {
    let reads = 0;
    let isDown = false;
    const stored = JSON.stringify(newKeyRing());
    const send = () => {
      reads += 1;
      return isDown ? Promise.reject(new Error('down')) : Promise.resolve({ Parameter: { Value: stored } });
    };
    const ssm = { send } as unknown as SSMClient;
    const first = await loadKeyRing(ssm, '/refresh', 0);
    await Promise.all([1, 2, 3].map(ms => loadKeyRing(ssm, '/refresh', ms)));
    expect(reads).toBe(1);
    isDown = true;
    expect(await loadKeyRing(ssm, '/refresh', 5 * MINUTE)).toEqual(first);
    expect(reads).toBe(2);
    await expect(loadKeyRing(ssm, '/other', 0)).rejects.toThrow('down');
  });
});

const withOtherKey = ({ keys }: KeyRing): KeyRing => ({
  keys: keys.map(key => ({ ...key, key: newKeyRing().keys[0]!.key })),
});

/** The last character of base64url text may have bits that do not count. */
function isSameBytes(a: string, b: string): boolean {
  const bytes = (text: string) =>
    text
      .split('.')
      .map((part, index) => (index < 2 ? part : Buffer.from(part, 'base64url').toString('hex')))
      .join('.');
  return bytes(a) === bytes(b);
}
