import { buildSync } from 'esbuild';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { docsAssets } from './docs.ts';

const ROOT = join(import.meta.dirname, '..');
const FUNCTIONS = join(ROOT, 'functions');
const DIST = join(ROOT, 'dist');

/** Beside the assets, so that a source map neither goes to Lambda nor changes a hash. */
const MAPS = join(ROOT, 'dist', 'maps');

/** The bundle is CommonJS, also when it is loaded from below this package, whose own type is `module`. */
const PACKAGE_JSON = '{"type":"commonjs"}\n';

/** Names of the folders under `functions/` that have an entry. */
export function functionNames(): string[] {
  return readdirSync(FUNCTIONS)
    .filter(name => existsSync(join(FUNCTIONS, name, 'index.ts')))
    .sort();
}

/** Folder with the bundle of one function: what is deployed. */
export const bundleFolder = (name: string) => join(DIST, name);

/**
 * Bundles every function with one esbuild call: `functions/<name>/index.ts` becomes `dist/<name>/index.js`. The same
 * sources give the same bytes, and a file that did not change is not written again. Source maps take as long as all the
 * rest; the bundles are the same without them.
 */
export function bundleFunctions({ sourceMaps = true } = {}): void {
  const names = functionNames();
  const { outputFiles } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: names.map(name => ({ in: join(FUNCTIONS, name, 'index.ts'), out: join(name, 'index') })),
    outdir: DIST,
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    mainFields: ['module', 'main'],
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    sourcemap: sourceMaps && 'external',
    sourcesContent: false,
    // Compiled for the machine that runs it, so it comes from a layer. Lambda finds layers through NODE_PATH, which
    // only `require` looks at: an `import()` of it becomes one.
    external: ['sharp'],
    supported: { 'dynamic-import': false },
    define: { 'import.meta.dirname': '__dirname' },
    logLevel: 'warning',
  });
  for (const { path, contents } of outputFiles) writeChanged(target(path), contents);
  for (const name of names) writeChanged(join(bundleFolder(name), 'package.json'), Buffer.from(PACKAGE_JSON));
  for (const [name, contents] of Object.entries(docsAssets())) {
    writeChanged(join(bundleFolder('docs'), 'assets', name), contents);
  }
  removeStale(names);
}

/** `dist/posts/index.js.map` goes to `dist/maps/posts.js.map`. */
function target(path: string): string {
  return path.endsWith('.map') ? join(MAPS, `${basename(dirname(path))}.js.map`) : path;
}

/** Writes a file in one move: another process that reads the folder meanwhile sees the old file or the new one. */
function writeChanged(path: string, contents: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = join(DIST, `${relative(DIST, path).replaceAll(sep, '-')}.${process.pid}`);
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

/** Bundles of functions that are gone would stay for ever otherwise. */
function removeStale(names: readonly string[]): void {
  for (const entry of readdirSync(DIST, { withFileTypes: true })) {
    if (entry.isDirectory() && entry.name !== basename(MAPS) && !names.includes(entry.name)) {
      rmSync(join(DIST, entry.name), { recursive: true });
    }
  }
}
