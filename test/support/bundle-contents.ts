import type { Metafile } from 'esbuild';

/** Bytes by package; the project's own code is `OWN`. */
export type Sizes = ReadonlyMap<string, number>;

export const OWN = 'own code';

/** Returns what a function's bundle loads with its first file, before any request needs more. */
export function loadedAtStart({ outputs }: Metafile): Sizes {
  const files = new Set(
    Object.keys(outputs).filter(path => path.endsWith('index.js') && outputs[path]?.entryPoint),
  );
  // A set is iterated in the order of insertion, members that are added meanwhile included.
  for (const file of files) {
    const imports = outputs[file]?.imports ?? [];
    for (const { path, kind } of imports) if (kind === 'import-statement' && outputs[path]) files.add(path);
  }
  const sizes = new Map<string, number>();
  for (const [path, { bytesInOutput }] of [...files].flatMap(file =>
    Object.entries(outputs[file]?.inputs ?? {}),
  )) {
    const name = packageOf(path);
    sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput);
  }
  return sizes;
}

export const totalOf = (sizes: Sizes): number => [...sizes.values()].reduce((sum, size) => sum + size, 0);

function packageOf(path: string): string {
  return /.*node_modules\/(?<name>(?:@[^/]+\/)?[^/]+)/.exec(path)?.groups?.['name'] ?? OWN;
}
