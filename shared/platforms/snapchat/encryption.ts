import { createCipheriv, randomBytes } from 'node:crypto';

/* AES-256-CBC with PKCS#7 padding, part by part: each part continues with the last block of the ciphertext before it. */

const BLOCK = 16;

/** Key and IV in standard Base64. Both are secret. */
export interface Encryption {
  key: string;
  iv: string;
}

export const newEncryption = (): Encryption => ({
  key: randomBytes(32).toString('base64'),
  iv: randomBytes(BLOCK).toString('base64'),
});

/** Returns the size of the ciphertext of a file. A full block of padding follows a multiple of the block size. */
export const cipherSize = (size: number) => (Math.floor(size / BLOCK) + 1) * BLOCK;

/** The ciphertext of a part, encrypted piece by piece while it is read. Pieces must be read once, in order. */
export interface EncryptedPart {
  size: number;
  read: (start: number, length: number) => Promise<Uint8Array>;
  /** Returns the IV of the part that follows, once this one was read. */
  nextIv: () => string;
}

/** Encrypts a part. Its size is a multiple of the block size unless it is the last one: only that is padded. */
export function encryptPart({ key, iv }: Encryption, bytes: Uint8Array, isLast: boolean): EncryptedPart {
  const cipher = createCipheriv('aes-256-cbc', Buffer.from(key, 'base64'), Buffer.from(iv, 'base64'));
  cipher.setAutoPadding(isLast);
  const size = isLast ? cipherSize(bytes.byteLength) : bytes.byteLength;
  let nextIv = iv;
  return {
    size,
    read: (start, length) => {
      const end = start + length;
      const blocks = cipher.update(bytes.subarray(start, end));
      const piece = end < size ? blocks : Buffer.concat([blocks, cipher.final()]);
      nextIv = piece.subarray(-BLOCK).toString('base64');
      return Promise.resolve(piece);
    },
    nextIv: () => nextIv,
  };
}
