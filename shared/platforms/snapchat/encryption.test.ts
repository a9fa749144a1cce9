import { createDecipheriv } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { cipherSize, encryptPart, newEncryption, type Encryption } from './encryption.ts';
import { partBytes } from './upload.ts';

const GIB = 1024 ** 3;

const file = (size: number) => Buffer.from(Array.from({ length: size }, (_, index) => index % 251));

function decrypt({ key, iv }: Encryption, ciphertext: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-cbc', Buffer.from(key, 'base64'), Buffer.from(iv, 'base64'));
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
}

/** Encrypts a file in parts that are read in pieces. */
async function encrypt({ key, iv }: Encryption, bytes: Buffer, partSize: number, pieceSize: number) {
  const pieces: Uint8Array[] = [];
  let next = iv;
  for (let start = 0; start < bytes.length; start += partSize) {
    const isLast = start + partSize >= bytes.length;
    const part = encryptPart({ key, iv: next }, bytes.subarray(start, start + partSize), isLast);
    for (let at = 0; at < part.size; at += pieceSize) {
      const length = Math.min(pieceSize, part.size - at);
      const piece = await part.read(at, length);
      expect(piece.byteLength).toBe(length);
      pieces.push(piece);
    }
    next = part.nextIv();
  }
  return Buffer.concat(pieces);
}

describe('the ciphertext of a file', () => {
  test.each([
    [1, 16, 16],
    [15, 16, 16],
    [16, 16, 16],
    [17, 16, 16],
    [64, 32, 16],
    [65, 32, 32],
    [1000, 320, 48],
    [1024, 320, 48],
    [1024, 4096, 4096],
  ])('of %i bytes, in parts of %i and pieces of %i, decrypts to the file', async (size, part, piece) => {
    const encryption = newEncryption();
    const ciphertext = await encrypt(encryption, file(size), part, piece);
    expect(ciphertext.length).toBe(cipherSize(size));
    expect(decrypt(encryption, ciphertext).equals(file(size))).toBe(true);
  });

  test('has a full block of padding after a multiple of the block size', () => {
    expect([0, 15, 16, 17, 40_000_000].map(cipherSize)).toEqual([16, 16, 32, 32, 40_000_016]);
  });

  test('has a key of 32 and an IV of 16 bytes in standard Base64, fresh for each file', () => {
    const [one, other] = [newEncryption(), newEncryption()];
    expect([one.key, one.iv].map(text => Buffer.from(text, 'base64').length)).toEqual([32, 16]);
    expect([one.key.length, one.iv.length]).toEqual([44, 24]);
    expect([one.key === other.key, one.iv === other.iv]).toEqual([false, false]);
  });
});

test.each([
  [1, 30_000_000],
  [35 * 30_000_000, 30_000_000],
  [35 * 30_000_000 + 1, 32_505_856],
  [GIB, 32_505_856],
])('a file of %i bytes is sent in parts of %i', (size, part) => {
  expect(partBytes(size)).toBe(part);
  expect(Math.ceil(size / part)).toBeLessThanOrEqual(35);
  expect(part % 16).toBe(0);
});
