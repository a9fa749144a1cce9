import { buildSync, type BuildOptions } from 'esbuild';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { bundleFolder, DIST, ROOT, WORKER } from './dist.ts';
import { docsAssets } from './docs.ts';

const FUNCTIONS = join(ROOT, 'functions');

/** Outside the assets, so that source maps are not deployed and do not change an asset hash. */
const MAPS = join(DIST, 'maps');

/** Marks a bundle as CommonJS: it also loads from below this package, whose type is `module`. */
const PACKAGE_JSON = '{"type":"commonjs"}\n';

/** Returns the names of the folders below `functions/` that have an `index.ts`. */
export function functionNames(): string[] {
  return readdirSync(FUNCTIONS)
    .filter(name => existsSync(join(FUNCTIONS, name, 'index.ts')))
    .sort();
}

/** Returns the file with the source map of a function's bundle. */
export const mapOf = (name: string) => join(MAPS, `${name}.js.map`);

/** How a function is bundled. */
export const BUNDLE_OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  minify: true,
  charset: 'utf8',
  legalComments: 'none',
  sourcesContent: false,
  // Native code for Lambda's machine, so it comes from a layer. Lambda finds layers through NODE_PATH, which only
  // `require` reads: `import()` is therefore compiled to `require`.
  external: ['sharp'],
  supported: { 'dynamic-import': false },
  define: { 'import.meta.dirname': '__dirname' },
  logLevel: 'warning',
} satisfies BuildOptions;

/**
 * Bundles every function with one esbuild call: `functions/<name>/index.ts` becomes `dist/<name>/index.js`. Output is
 * deterministic, and unchanged files are not rewritten. Source maps double the build time and do not change the bundles.
 */
export function bundleFunctions({ sourceMaps = true } = {}): void {
  const names = functionNames();
  const { outputFiles } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: names.map(name => ({ in: join(FUNCTIONS, name, 'index.ts'), out: join(name, 'index') })),
    outdir: DIST,
    write: false,
    sourcemap: sourceMaps && 'external',
    ...BUNDLE_OPTIONS,
  });
  for (const { path, contents } of outputFiles) writeChanged(target(path), contents);
  for (const name of names) writeChanged(join(bundleFolder(name), 'package.json'), Buffer.from(PACKAGE_JSON));
  for (const [name, contents] of Object.entries(docsAssets())) {
    writeChanged(join(bundleFolder('docs'), 'assets', name), contents);
  }
  removeStale(names);
}

/** Returns where an output file is written: `dist/posts/index.js.map` becomes `dist/maps/posts.js.map`. */
function target(path: string): string {
  return path.endsWith('.map') ? mapOf(basename(dirname(path))) : path;
}

/** Replaces a file atomically: another process that reads the folder at the same time sees the old or the new file. */
export function writeChanged(path: string, contents: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = join(DIST, `${relative(DIST, path).replaceAll(sep, '-')}.${process.pid}`);
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

/** Removes the bundles of functions that no longer exist. */
function removeStale(names: readonly string[]): void {
  for (const entry of readdirSync(DIST, { withFileTypes: true })) {
    if (entry.isDirectory() && ![basename(MAPS), WORKER, ...names].includes(entry.name)) {
      rmSync(join(DIST, entry.name), { recursive: true });
    }
  }
}
