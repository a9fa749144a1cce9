import { buildSync, type BuildOptions } from 'esbuild';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { BOOT, bundleFolder, DIST, REQUIRE, ROOT, STAMP, WORKER } from './dist.ts';
import { docsAssets } from './docs.ts';
import { joinStart } from './join-start.ts';

const FUNCTIONS = join(ROOT, 'functions');

/** Outside the assets, so that source maps are not deployed and do not change an asset hash. */
const MAPS = join(DIST, 'maps');
/** Files that are still being written, by any process. */
const UNFINISHED = join(DIST, 'unfinished');

const PACKAGE_FILE = 'package.json';
const PACKAGE_JSON = Buffer.from('{"type":"module"}\n');
/** Folder of the files that the docs function serves. */
const ASSETS = 'assets';

/** Returns the names of the folders below `functions/` that have an `index.ts`. */
export function functionNames(): string[] {
  return readdirSync(FUNCTIONS)
    .filter(name => existsSync(join(FUNCTIONS, name, 'index.ts')))
    .sort();
}

/** Returns the source map of a file of a function's bundle. */
export const mapOf = (name: string, file: string) => join(MAPS, name, `${file}.map`);

/** Returns the file with esbuild's description of a function's bundle. */
export const metafileOf = (name: string) => join(MAPS, name, 'metafile.json');

/**
 * How a function is bundled. What it imports with `import()` becomes a file of its own, which is read and compiled when a
 * request needs it.
 */
export const BUNDLE_OPTIONS = {
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  banner: { js: REQUIRE },
  minify: true,
  // V8 reads and keeps ASCII at half the cost of other text.
  charset: 'ascii',
  legalComments: 'none',
  sourcesContent: false,
  logLevel: 'warning',
} satisfies BuildOptions;

const NOTHING = join(ROOT, 'lib', 'nothing.js');

/** Polyfills that packages import for engines much older than Lambda's. */
const POLYFILLS = globSync('*.js', { cwd: join(ROOT, 'node_modules', 'core-js', 'modules') }).map(
  file => `core-js/modules/${basename(file, '.js')}`,
);

/** Modules that stand for others in the bundles of functions. */
const STAND_INS = {
  ...Object.fromEntries(POLYFILLS.map(name => [name, NOTHING])),
  // The package of this name: the module of Node.js is deprecated, which every cold start would log.
  punycode: join(ROOT, 'node_modules', 'punycode', 'punycode.js'),
  '@aws-sdk/credential-provider-node': join(ROOT, 'shared', 'aws', 'lambda-credentials.ts'),
  sharp: join(ROOT, 'shared', 'media', 'convert', 'sharp-of-layer.ts'),
};

/**
 * Bundles every function: `functions/<name>/index.ts` becomes `dist/<name>/index.js`, with further files beside it. Output
 * is deterministic, and unchanged files are not rewritten: several processes may bundle the same sources at the same time.
 */
export function bundleFunctions(): void {
  const names = functionNames();
  for (const name of names) bundleFunction(name);
  for (const [name, contents] of Object.entries(docsAssets())) {
    writeChanged(join(bundleFolder('docs'), ASSETS, name), contents);
  }
  removeOthers(DIST, [BOOT, MAPS, STAMP, UNFINISHED, ...[WORKER, ...names].map(bundleFolder)]);
}

/** Bundles one function. */
export function bundleFunction(name: string): void {
  const folder = bundleFolder(name);
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: [{ in: join(FUNCTIONS, name, 'index.ts'), out: 'index' }],
    outdir: folder,
    write: false,
    metafile: true,
    // Always, because the names of files depend on it.
    sourcemap: 'external',
    alias: STAND_INS,
    ...BUNDLE_OPTIONS,
  });
  const files = joinStart(outputFiles, metafile, BUNDLE_OPTIONS);
  for (const { path, contents } of files) writeChanged(target(name, path), contents);
  writeChanged(join(folder, PACKAGE_FILE), PACKAGE_JSON);
  removeOthers(folder, [...files.map(({ path }) => path), join(folder, PACKAGE_FILE), join(folder, ASSETS)]);
  writeChanged(metafileOf(name), Buffer.from(JSON.stringify(metafile)));
  removeOthers(join(MAPS, name), [...files.map(({ path }) => target(name, path)), metafileOf(name)]);
}

/** Returns where an output file is written: `dist/posts/index.js.map` becomes `dist/maps/posts/index.js.map`. */
function target(name: string, path: string): string {
  return path.endsWith('.map') ? join(MAPS, name, basename(path)) : path;
}

/** Replaces a file atomically: another process that reads the folder at the same time sees the old or the new file. */
export function writeChanged(path: string, contents: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  for (const folder of [UNFINISHED, dirname(path)]) mkdirSync(folder, { recursive: true });
  const temporary = join(UNFINISHED, `${relative(DIST, path).replaceAll(sep, '-')}.${process.pid}`);
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

/** Removes what is left of earlier sources: bundles of functions that no longer exist, and files of bundles. */
function removeOthers(folder: string, kept: readonly string[]): void {
  for (const path of readdirSync(folder).map(name => join(folder, name))) {
    if (!kept.includes(path)) rmSync(path, { recursive: true, force: true });
  }
}
