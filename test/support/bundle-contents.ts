import type { Metafile } from 'esbuild';
import { readFileSync } from 'node:fs';
import { metafileOf } from '../../lib/bundle.ts';
import { filesAtStart } from '../../lib/join-start.ts';

/** Bytes by package; the project's own code is `OWN`. */
export type Sizes = ReadonlyMap<string, number>;

export const OWN = 'own code';

/** Reads esbuild's description of a function's bundle, which `bundleAll` has written. */
export const readMetafile = (name: string) => JSON.parse(readFileSync(metafileOf(name), 'utf8')) as Metafile;

/** Returns what a function's bundle loads with its first file, before any request needs more. */
export function loadedAtStart({ outputs }: Metafile): Sizes {
  const sizes = new Map<string, number>();
  const inputs = filesAtStart(outputs).flatMap(file => Object.entries(outputs[file]?.inputs ?? {}));
  for (const [path, { bytesInOutput }] of inputs) {
    const name = packageOf(path);
    sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput);
  }
  return sizes;
}

export const totalOf = (sizes: Sizes): number => [...sizes.values()].reduce((sum, size) => sum + size, 0);

function packageOf(path: string): string {
  return /.*node_modules\/(?<name>(?:@[^/]+\/)?[^/]+)/.exec(path)?.groups?.['name'] ?? OWN;
}
