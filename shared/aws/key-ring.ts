import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import * as v from 'valibot';

/** The key ring as stored in SSM: the first key seals, all keys unseal. Keys are 32 bytes in base64. */
export const KeyRingSchema = v.object({
  keys: v.pipe(v.array(v.object({ id: v.string(), key: v.string() })), v.minLength(1)),
});
export type KeyRing = v.InferOutput<typeof KeyRingSchema>;

export function newKeyRing(): KeyRing {
  return { keys: [{ id: randomBytes(4).toString('hex'), key: randomBytes(32).toString('base64') }] };
}

export const keyRingParameter = (prefix: string) => `${prefix}/key-ring`;

let cached: { name: string; ring: Promise<KeyRing> } | null = null;

/** Loads the key ring, once per container. */
export async function loadKeyRing(ssm: SSMClient, prefix: string): Promise<KeyRing> {
  const name = keyRingParameter(prefix);
  if (cached?.name !== name) cached = { name, ring: readKeyRing(ssm, name) };
  try {
    return await cached.ring;
  } catch (error) {
    cached = null;
    throw error;
  }
}

async function readKeyRing(ssm: SSMClient, name: string): Promise<KeyRing> {
  const { Parameter } = await ssm.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
  const json: unknown = JSON.parse(Parameter?.Value ?? '');
  return v.parse(KeyRingSchema, json);
}

/**
 * Encrypts a text with AES-256-GCM. `boundTo`, the id of its owner, is the associated data: a sealed text that is copied
 * to another owner cannot be unsealed.
 */
export function seal(ring: KeyRing, boundTo: string, text: string): string {
  const current = ring.keys[0];
  if (!current) throw new Error('The key ring is empty');
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(current.key, 'base64'), iv);
  cipher.setAAD(Buffer.from(boundTo));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return [
    'v1',
    current.id,
    ...[iv, sealed, cipher.getAuthTag()].map(part => part.toString('base64url')),
  ].join('.');
}

/** Decrypts a sealed text. Throws when it was sealed for another owner or with an unknown key, or was altered. */
export function unseal(ring: KeyRing, boundTo: string, sealed: string): string {
  const [version, keyId, iv = '', text = '', tag = ''] = sealed.split('.');
  const key = ring.keys.find(({ id }) => id === keyId);
  if (version !== 'v1' || !key) throw new Error('The sealed text names a key that is not in the key ring');
  const decipher = createDecipheriv(
    'aes-256-gcm',
    Buffer.from(key.key, 'base64'),
    Buffer.from(iv, 'base64url'),
  );
  decipher.setAAD(Buffer.from(boundTo));
  decipher.setAuthTag(Buffer.from(tag, 'base64url'));
  return Buffer.concat([decipher.update(Buffer.from(text, 'base64url')), decipher.final()]).toString('utf8');
}

/** Derives the signing key of one purpose (cursors, OAuth states) from a key of the ring. */
function signingKey(key: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(key, 'base64'), '', purpose, 32));
}

/** Signs a text: the first 16 bytes of HMAC-SHA256 in base64url. */
export function sign(ring: KeyRing, purpose: string, text: string): string {
  return mac(ring.keys[0]?.key ?? '', purpose, text).toString('base64url');
}

/** Compares in constant time, against the signature of every key of the ring. */
export function verify(ring: KeyRing, purpose: string, text: string, signature: string): boolean {
  const given = Buffer.from(signature, 'base64url');
  return ring.keys.some(({ key }) => {
    const expected = mac(key, purpose, text);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function mac(key: string, purpose: string, text: string): Buffer {
  return createHmac('sha256', signingKey(key, purpose)).update(text).digest().subarray(0, 16);
}
