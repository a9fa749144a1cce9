import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { moveInto } from '../../move-into.ts';

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

/** Stores all files or none. */
function store(folder: string, files: FilesByName): void {
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    for (const [name, bytes] of files) writeFileSync(join(unfinished, name), bytes);
    moveInto(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
