import { buildSync, type BuildOptions, type Metafile } from 'esbuild';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import * as v from 'valibot';

/** A file of a bundle: code or its source map. */
export interface BundleFile {
  path: string;
  contents: Uint8Array;
}

const ENTRY = 'index.js';
const START = 'start.js';
const SourceMapSchema = v.looseObject({ sources: v.array(v.string()) });

/**
 * Joins the files that `index.js` imports at its start into one. esbuild gives everything that is also needed later a file
 * of its own, and each takes Node.js 0.2 ms to find, read and link. Returns all files of the bundle: what is imported later
 * finds a joined file under its old name, which passes on the exports.
 *
 * `outputs` names the files relative to `root`, as esbuild's description of the bundle does.
 */
export function joinStart(
  files: readonly BundleFile[],
  { outputs }: Metafile,
  root: string,
  options: BuildOptions,
): BundleFile[] {
  const joined = importedAtStart(outputs);
  const isJoined = (path: string) => joined.some(each => resolve(root, each) === path.replace(/\.map$/, ''));
  const later = files.filter(({ path }) => !isJoined(path));
  const shared = joined.filter(path => basename(path) === ENTRY || isImportedLater(path, joined, outputs));
  const exportsOf = (path: string) => outputs[path]?.exports ?? [];
  const scratch = mkdtempSync(join(tmpdir(), 'bundle-'));
  try {
    for (const path of joined) {
      writeFileSync(join(scratch, basename(path)), withSourceMap(resolve(root, path), files));
    }
    const { outputFiles } = buildSync({
      ...options,
      stdin: {
        contents: shared.map(path => reexports(path, exportsOf(path))).join(''),
        resolveDir: scratch,
      },
      outfile: resolve(root, dirname(joined[0] ?? ''), START),
      external: later.map(({ path }) => `./${basename(path)}`),
      splitting: false,
      sourcemap: 'external',
      write: false,
    });
    const passedOn = shared.map(path => ({
      path: resolve(root, path),
      contents: Buffer.from(passingOn(path, exportsOf(path))),
    }));
    return [...later, ...passedOn, ...outputFiles];
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Returns `index.js` and what it imports, directly or not. */
function importedAtStart(outputs: Metafile['outputs']): string[] {
  const files = new Set(Object.keys(outputs).filter(path => basename(path) === ENTRY));
  // A set is iterated in the order of insertion, members that are added meanwhile included.
  for (const file of files) {
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && outputs[path]) files.add(path);
    }
  }
  return [...files];
}

function isImportedLater(path: string, joined: readonly string[], outputs: Metafile['outputs']): boolean {
  return Object.entries(outputs).some(
    ([importer, { imports }]) => !joined.includes(importer) && imports.some(each => each.path === path),
  );
}

/** Several files export the same short names. */
const publicName = (path: string, name: string) => `${basename(path, '.js').replaceAll('-', '_')}_${name}`;

function reexports(path: string, exports: readonly string[]): string {
  const names = exports.map(name => `${name} as ${publicName(path, name)}`);
  return `export{${names.join()}}from"./${basename(path)}";`;
}

function passingOn(path: string, exports: readonly string[]): string {
  const names = exports.map(name => `${publicName(path, name)} as ${name}`);
  return `export{${names.join()}}from"./${START}";`;
}

/** Returns code with its source map, so that the map of the joined file leads to the sources. */
function withSourceMap(path: string, files: readonly BundleFile[]): string {
  const textOf = (wanted: string) =>
    Buffer.from(files.find(file => file.path === wanted)?.contents ?? []).toString();
  const json: unknown = JSON.parse(textOf(`${path}.map`));
  const map = v.parse(SourceMapSchema, json);
  const sources = map.sources.map(source => resolve(dirname(path), source));
  const encoded = Buffer.from(JSON.stringify({ ...map, sources })).toString('base64');
  return `${textOf(path)}\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`;
}
