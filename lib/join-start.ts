import { buildSync, type BuildOptions, type Metafile } from 'esbuild';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import * as v from 'valibot';

/** A file of a bundle, code or a source map, by its absolute path. */
export interface BundleFile {
  path: string;
  contents: Uint8Array;
}

const ENTRY = 'index.js';
const START = 'start.js';
const SourceMapSchema = v.looseObject({ sources: v.array(v.string()) });

/**
 * Joins the files that `index.js` loads at its start into `start.js`. esbuild gives everything that is needed again later a
 * file of its own, and each takes Node.js 0.2 ms to find, read and link. Returns all files of the bundle; those that are
 * loaded later import from `start.js` what it has.
 */
export function joinStart(
  files: readonly BundleFile[],
  { outputs }: Metafile,
  options: BuildOptions,
): BundleFile[] {
  const folder = dirname(files[0]?.path ?? '');
  const atStart = filesAtStart(outputs).map(path => ({
    path: resolve(folder, basename(path)),
    name: basename(path),
    exports: outputs[path]?.exports ?? [],
  }));
  const later = files.filter(({ path }) => path.endsWith('.js') && !atStart.some(each => each.path === path));
  const common = {
    ...options,
    // The files bring it along.
    banner: {},
    outdir: folder,
    external: later.map(({ path }) => `./${basename(path)}`),
    splitting: false,
    sourcemap: 'external',
    write: false,
  } as const;

  const start = inScratch(scratch => {
    for (const { path, name } of atStart) writeFileSync(join(scratch, name), withSourceMap(path, files));
    const passedOn = atStart.map(({ name, exports }) =>
      exportNames(`./${name}`, exports, each => `${each} as ${publicName(name, each)}`),
    );
    writeFileSync(join(scratch, START), passedOn.join(''));
    return buildSync({ ...common, entryPoints: [join(scratch, START)] }).outputFiles;
  });
  const rest = inScratch(scratch => {
    for (const { path } of later) writeFileSync(join(scratch, basename(path)), withSourceMap(path, files));
    for (const { name, exports } of atStart) {
      const passedOn = exportNames(`./${START}`, exports, each => `${publicName(name, each)} as ${each}`);
      writeFileSync(join(scratch, name), passedOn);
    }
    const entryPoints = [ENTRY, ...later.map(({ path }) => basename(path))].map(name => join(scratch, name));
    const external = [...common.external, `./${START}`];
    return buildSync({ ...common, entryPoints, outbase: scratch, external }).outputFiles;
  });
  return [...start, ...rest];
}

/** Returns the paths of `index.js` and of what it imports, directly or not. */
export function filesAtStart(outputs: Metafile['outputs']): string[] {
  const files = new Set(Object.keys(outputs).filter(path => basename(path) === ENTRY));
  // A set is iterated in the order of insertion, members that are added meanwhile included.
  for (const file of files) {
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && outputs[path]) files.add(path);
    }
  }
  return [...files];
}

/** Several files export the same short names. */
const publicName = (file: string, name: string) => `${file.replace(/\W/g, '_')}_${name}`;

const exportNames = (from: string, names: readonly string[], as: (name: string) => string) =>
  `export{${names.map(as).join()}}from"${from}";`;

/** Runs a build with a temporary folder. */
function inScratch<T>(build: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  try {
    return build(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns code with its source map, so that the map of what is made of it leads to the sources. */
function withSourceMap(path: string, files: readonly BundleFile[]): string {
  const textOf = (wanted: string) =>
    Buffer.from(files.find(file => file.path === wanted)?.contents ?? []).toString();
  const json: unknown = JSON.parse(textOf(`${path}.map`));
  const map = v.parse(SourceMapSchema, json);
  const sources = map.sources.map(source => resolve(dirname(path), source));
  const encoded = Buffer.from(JSON.stringify({ ...map, sources })).toString('base64');
  return `${textOf(path)}\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`;
}
