import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { StoredMedia } from '../../shared/platforms/contract/sandbox.ts';
import type { LocalStore } from '../store.ts';
import { openCollection } from './collections.ts';
import { probe } from './media/probe.ts';

/** The files that platforms received. */
export interface MediaStore {
  /** Stores a file and returns what it is. */
  add: (bytes: Uint8Array) => Promise<StoredMedia>;
  /** Bytes and type of a stored file; null if it is unknown. */
  read: (sha256: string) => { bytes: Buffer; type: string } | null;
  clear: () => void;
}

const EntrySchema = v.object({ type: v.string(), size: v.number() });
const MAX_BYTES = 2 * 1024 ** 3;

/** Opens the media store in a folder. Deletes the oldest files above `maxBytes`. */
export function openMediaStore(
  folder: string,
  store: LocalStore | null,
  maxBytes: number = MAX_BYTES,
): MediaStore {
  mkdirSync(folder, { recursive: true });
  const entries = openCollection(store, 'media', EntrySchema);
  let total = entries.values().reduce((sum, { size }) => sum + size, 0);
  const pathOf = (sha256: string) => join(folder, sha256);

  function remove(sha256: string, size: number): void {
    rmSync(pathOf(sha256), { force: true });
    entries.delete(sha256);
    total -= size;
  }

  return {
    add: async bytes => {
      const media = await probe(bytes);
      if (entries.get(media.sha256)) return media;
      writeFileSync(pathOf(media.sha256), bytes);
      entries.set(media.sha256, { type: media.type, size: media.size });
      total += media.size;
      for (const [sha256, { size }] of entries.entries()) {
        if (total <= maxBytes) break;
        remove(sha256, size);
      }
      return media;
    },
    read: sha256 => {
      const entry = entries.get(sha256);
      return entry ? { bytes: readFileSync(pathOf(sha256)), type: entry.type } : null;
    },
    clear: () => {
      for (const [sha256, { size }] of entries.entries()) remove(sha256, size);
    },
  };
}
