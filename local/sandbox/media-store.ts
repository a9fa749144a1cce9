import { randomUUID } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { SandboxUpload, StoredMedia } from '../../shared/platforms/contract/sandbox.ts';
import type { LocalStore } from '../store.ts';
import { openCollection } from './collections.ts';
import { probe, probeFile } from './media/probe.ts';

/** The files that platforms received. */
export interface MediaStore {
  /** Stores a file and returns what it is. */
  add: (bytes: Uint8Array) => Promise<StoredMedia>;
  /** Begins a file that arrives in pieces, which are written to disk. */
  openUpload: () => SandboxUpload;
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
  const unfinished = join(folder, 'unfinished');
  const clearUnfinished = () => {
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
  };
  clearUnfinished();
  const entries = openCollection(store, 'media', EntrySchema);
  let total = entries.values().reduce((sum, { size }) => sum + size, 0);
  const pathOf = (sha256: string) => join(folder, sha256);

  function remove(sha256: string, size: number): void {
    rmSync(pathOf(sha256), { force: true });
    entries.delete(sha256);
    total -= size;
  }

  /** Keeps a file unless it is known. `put` writes it to the path. */
  function keep(media: StoredMedia, put: (path: string) => void): StoredMedia {
    if (entries.get(media.sha256)) return media;
    put(pathOf(media.sha256));
    entries.set(media.sha256, { type: media.type, size: media.size });
    total += media.size;
    for (const [sha256, { size }] of entries.entries()) {
      if (total <= maxBytes) break;
      remove(sha256, size);
    }
    return media;
  }

  return {
    add: async bytes => keep(await probe(bytes), path => writeFileSync(path, bytes)),
    openUpload: () => {
      const path = join(unfinished, randomUUID());
      writeFileSync(path, '');
      const discard = () => rmSync(path, { force: true });
      return {
        write: (bytes, start) => writeAt(path, bytes, start),
        store: async () => {
          const media = keep(await probeFile(path), kept => renameSync(path, kept));
          discard();
          return media;
        },
        discard,
      };
    },
    read: sha256 => {
      const entry = entries.get(sha256);
      return entry ? { bytes: readFileSync(pathOf(sha256)), type: entry.type } : null;
    },
    clear: () => {
      for (const [sha256, { size }] of entries.entries()) remove(sha256, size);
      clearUnfinished();
    },
  };
}

function writeAt(path: string, bytes: Uint8Array, start: number): void {
  const file = openSync(path, 'r+');
  try {
    writeSync(file, bytes, 0, bytes.byteLength, start);
  } finally {
    closeSync(file);
  }
}
