import { buildSync } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFunctions, BUNDLE_OPTIONS } from '../../lib/bundle.ts';
import { bundleFolder } from '../../lib/dist.ts';
import { ENV } from '../../shared/aws/env.ts';
import { loadedAtStart, totalOf } from '../support/bundle-contents.ts';
import type { Bench, Results } from './bench.ts';
import { less, type Measure } from './value.ts';

const BARE = 'bare handler';
const BARE_SOURCE = fileURLToPath(new URL('bare-handler.ts', import.meta.url));
const LOADS = 9;

/** Prints the milliseconds that loading a file takes in a new process, with what the file begins to load by itself. */
const PROGRAM = `const at = performance.now();
await import(process.argv[1]);
setImmediate(() => { console.log(performance.now() - at); process.exit(); });`;
const ENVIRONMENT = { ...process.env, [ENV.platform]: 'x', AWS_REGION: 'eu-west-1' };

/** The folder of a bundle, and how many of its bytes are loaded at once; null for those of the bare handler: all. */
interface Bundle {
  folder: string;
  atStart: number | null;
}

/** What a function loads at a cold start. */
export const bundles: Bench = {
  name: 'bundles',
  summary: 'what each function loads at a cold start, beside a bare handler with lib-dynamodb',
  run: () => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-bundles-'));
    try {
      bundleBareHandler(folder);
      const functions = [...bundleFunctions()].map(([name, metafile]): [string, Bundle] => [
        name,
        { folder: bundleFolder(name), atStart: totalOf(loadedAtStart(metafile)) },
      ]);
      return Promise.resolve(resultsOf(new Map([[BARE, { folder, atStart: null }], ...functions])));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** With the SDK as it comes, in one file. */
function bundleBareHandler(folder: string): void {
  buildSync({
    ...BUNDLE_OPTIONS,
    splitting: false,
    entryPoints: [{ in: BARE_SOURCE, out: 'index' }],
    outdir: folder,
  });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
}

function resultsOf(bundlesByName: ReadonlyMap<string, Bundle>): Results[] {
  const loads = fastestLoads(bundlesByName);
  const bare = loads.get(BARE) ?? Number.NaN;
  return [...bundlesByName].map(([name, { folder, atStart }]): Results => {
    const load = loads.get(name) ?? Number.NaN;
    const size = sizeOf(folder);
    const values: Record<string, Measure> = {
      minified: less(size / 1000, 'kB'),
      'loaded at the start': less((atStart ?? size) / 1000, 'kB'),
      [`load, fastest of ${LOADS} processes`]: less(load, 'ms'),
      'load beside the bare handler': less(load / bare, 'times', 2),
    };
    return { title: name, values };
  });
}

const sizeOf = (folder: string) =>
  globSync('*.js', { cwd: folder }).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);

/** Returns the shortest load time of each bundle: other work of the machine only makes it longer. */
function fastestLoads(bundlesByName: ReadonlyMap<string, Bundle>): Map<string, number> {
  const fastest = new Map<string, number>();
  for (let round = 0; round < LOADS; round += 1) {
    for (const [name, { folder }] of bundlesByName) {
      fastest.set(name, Math.min(fastest.get(name) ?? Infinity, loadTime(join(folder, 'index.js'))));
    }
  }
  return fastest;
}

const loadTime = (file: string) =>
  Number(
    execFileSync(process.execPath, ['--no-deprecation', '--input-type=module', '-e', PROGRAM, file], {
      encoding: 'utf8',
      env: ENVIRONMENT,
    }),
  );
