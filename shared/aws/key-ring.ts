import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { SSMClient } from '@aws-sdk/client-ssm';
import * as v from 'valibot';
import { MINUTE, SECOND } from '../time/instant.ts';
import type { Loadable } from './clients.ts';
import { readParameter } from './parameters.ts';

const KeySchema = v.object({
  id: v.string(),
  /** 32 bytes in base64. */
  key: v.string(),
  /** The key seals from then on, epoch milliseconds. Before that it only unseals. */
  seals_from: v.optional(v.number(), 0),
});

/** The key ring, newest key first: the first key seals and signs, all keys unseal and verify. */
export const KeyRingSchema = v.object({ keys: v.pipe(v.array(KeySchema), v.minLength(1)) });
export type KeyRing = v.InferOutput<typeof KeyRingSchema>;

/** How long a container uses the key ring before it reads it again, milliseconds. */
const REFRESH_MS = 5 * MINUTE;
/** How long it uses a key ring that does not have the key of a text. */
const MISSING_KEY_MS = 10 * SECOND;
/** Until a new key seals, every container has read the ring that contains it. */
const ROTATION_DELAY_MS = 3 * REFRESH_MS;

const newKey = (seals_from: number) => ({
  id: randomBytes(4).toString('hex'),
  key: randomBytes(32).toString('base64'),
  seals_from,
});

export function newKeyRing(): KeyRing {
  return { keys: [newKey(0)] };
}

/** Adds a key that seals as soon as every container knows it. Older keys stay, to unseal what they sealed. */
export function rotated({ keys }: KeyRing, now: number): KeyRing {
  return { keys: [newKey(now + ROTATION_DELAY_MS), ...keys] };
}

export const keyRingParameter = (prefix: string) => `${prefix}/key-ring`;

let cached: { name: string; ring: Promise<KeyRing>; read_at: number } | null = null;

/**
 * Loads the key ring. A container reads it again every five minutes, and keeps the old one if that fails. `sealed`: a text
 * to unseal; where its key is not in the ring, the ring is read again at once.
 */
export async function loadKeyRing(
  ssm: Loadable<SSMClient>,
  prefix: string,
  now = Date.now(),
  sealed?: string,
): Promise<KeyRing> {
  const name = keyRingParameter(prefix);
  const ring = await ringReadWithin(REFRESH_MS, ssm, name, now);
  if (sealed === undefined || ring.keys.some(({ id }) => id === keyIdOf(sealed))) return ring;
  return ringReadWithin(MISSING_KEY_MS, ssm, name, now);
}

/** Returns the cached key ring if it was read at most `maxAgeMs` ago, else reads it. */
async function ringReadWithin(
  maxAgeMs: number,
  ssm: Loadable<SSMClient>,
  name: string,
  now: number,
): Promise<KeyRing> {
  if (cached?.name !== name || cached.read_at + maxAgeMs <= now) {
    const previous = cached?.name === name ? cached.ring : null;
    const ring = readKeyRing(ssm, name, now);
    cached = { name, ring: previous ? ring.catch(() => previous) : ring, read_at: now };
  }
  try {
    return await cached.ring;
  } catch (error) {
    cached = null;
    throw error;
  }
}

/** Reads the key ring as it is stored. */
export async function readStoredKeyRing(ssm: Loadable<SSMClient>, name: string): Promise<KeyRing> {
  const value = await readParameter(ssm, name);
  if (value === null) throw new Error(`The key ring ${name} does not exist`);
  const json: unknown = JSON.parse(value);
  return v.parse(KeyRingSchema, json);
}

async function readKeyRing(ssm: Loadable<SSMClient>, name: string, now: number): Promise<KeyRing> {
  return inOrderAt(await readStoredKeyRing(ssm, name), now);
}

/** Moves the keys that do not seal yet to the end. */
export function inOrderAt({ keys }: KeyRing, now: number): KeyRing {
  const isSealing = ({ seals_from }: KeyRing['keys'][number]) => seals_from <= now;
  return { keys: [...keys.filter(isSealing), ...keys.filter(key => !isSealing(key))] };
}

/** What a text is sealed for. Each purpose has a key of its own, derived from the ring. */
export type SealPurpose = 'credentials' | 'responses';

const CIPHER = 'aes-256-gcm';
const TAG_BYTES = 16;

/**
 * Encrypts a text with AES-256-GCM. `boundTo`, the id of its owner, is the associated data: a sealed text that is copied
 * to another owner cannot be unsealed.
 */
export function seal(
  ring: KeyRing,
  boundTo: string,
  text: string,
  purpose: SealPurpose = 'credentials',
): string {
  const current = ring.keys[0];
  if (!current) throw new Error('The key ring is empty');
  const iv = randomBytes(12);
  const key = derivedKey(current.key, `seal:${purpose}`);
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(boundTo));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return [
    'v1',
    current.id,
    ...[iv, sealed, cipher.getAuthTag()].map(part => part.toString('base64url')),
  ].join('.');
}

/**
 * Decrypts a sealed text. Throws when it was sealed for another owner or purpose or with an unknown key, or was altered.
 */
export function unseal(
  ring: KeyRing,
  boundTo: string,
  sealed: string,
  purpose: SealPurpose = 'credentials',
): string {
  const [version, keyId, iv = '', text = '', tag = ''] = sealed.split('.');
  const found = ring.keys.find(({ id }) => id === keyId);
  if (version !== 'v1' || !found) throw new Error('The sealed text names a key that is not in the key ring');
  const key = derivedKey(found.key, `seal:${purpose}`);
  // Without the length, Node.js accepts tags of 4 bytes, which can be guessed.
  const decipher = createDecipheriv(CIPHER, key, Buffer.from(iv, 'base64url'), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(boundTo));
  decipher.setAuthTag(Buffer.from(tag, 'base64url'));
  return Buffer.concat([decipher.update(Buffer.from(text, 'base64url')), decipher.final()]).toString('utf8');
}

const keyIdOf = (sealed: string) => sealed.split('.')[1];

/** Derives the key of one purpose from a key of the ring. HKDF limits its info to 1,024 bytes, hence the hash. */
function derivedKey(key: string, purpose: string): Buffer {
  const info = createHash('sha256').update(purpose).digest();
  return Buffer.from(hkdfSync('sha256', Buffer.from(key, 'base64'), '', info, 32));
}

/** Signs a text for one purpose: the first 16 bytes of HMAC-SHA256 in base64url. The purpose may have any length. */
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
  return createHmac('sha256', derivedKey(key, `sign:${purpose}`))
    .update(text)
    .digest()
    .subarray(0, 16);
}
