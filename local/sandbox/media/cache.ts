import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type FilesByName = ReadonlyMap<string, Buffer>;

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/sandbox-media');
/** When one of the generators changes, the files are generated again. */
const GENERATORS = ['bits.ts', 'clips.ts', 'content.ts', 'document.ts', 'files.ts', 'h264.ts', 'images.ts'];

/** Returns what `make` generates, from the cache on disk if this or an earlier process has stored it. */
export async function cachedFiles(make: () => Promise<FilesByName>): Promise<FilesByName> {
  const folder = join(CACHE, hashOfGenerators());
  if (!existsSync(folder)) store(folder, await make());
  return new Map(readdirSync(folder).map(name => [name, readFileSync(join(folder, name))]));
}

function hashOfGenerators(): string {
  const hash = createHash('sha256');
  for (const file of GENERATORS) hash.update(readFileSync(join(import.meta.dirname, file)));
  return hash.digest('hex');
}

/** Stores all files or none. Another process may have stored the same ones in the meantime. */
function store(folder: string, files: FilesByName): void {
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(unfinished, name), bytes);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}
