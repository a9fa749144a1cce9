import { buildSync } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFunctions, BUNDLE_OPTIONS, functionNames } from '../../lib/bundle.ts';
import { bundleFolder } from '../../lib/dist.ts';
import type { Bench, Results } from './bench.ts';
import { less, type Measure } from './value.ts';

const BARE = 'bare handler';
const BARE_SOURCE = fileURLToPath(new URL('bare-handler.ts', import.meta.url));
const LOADS = 5;

/** Prints the milliseconds that loading a file takes in a new process. */
const PROGRAM = 'const at = performance.now(); require(process.argv[1]); console.log(performance.now() - at)';

/** What a function loads at a cold start. */
export const bundles: Bench = {
  name: 'bundles',
  summary: 'what each function loads at a cold start, beside a bare handler with lib-dynamodb',
  run: () => {
    bundleFunctions();
    const folder = mkdtempSync(join(tmpdir(), 'bench-bundles-'));
    try {
      return Promise.resolve(resultsOf(filesOf(folder)));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** Returns the file of each bundle, the bare handler's first. */
function filesOf(folder: string): Map<string, string> {
  const bare = join(folder, 'bare.cjs');
  buildSync({ ...BUNDLE_OPTIONS, entryPoints: [BARE_SOURCE], outfile: bare });
  const functions = functionNames().map((name): [string, string] => [
    name,
    join(bundleFolder(name), 'index.js'),
  ]);
  return new Map([[BARE, bare], ...functions]);
}

function resultsOf(files: ReadonlyMap<string, string>): Results[] {
  const loads = fastestLoads(files);
  const bare = loads.get(BARE) ?? Number.NaN;
  return [...files].map(([name, file]): Results => {
    const load = loads.get(name) ?? Number.NaN;
    const values: Record<string, Measure> = {
      minified: less(statSync(file).size / 1000, 'kB'),
      [`load, fastest of ${LOADS} processes`]: less(load, 'ms'),
      'load beside the bare handler': less(load / bare, 'times', 2),
    };
    return { title: name, values };
  });
}

/** Returns the shortest load time of each bundle: other work of the machine only makes it longer. */
function fastestLoads(files: ReadonlyMap<string, string>): Map<string, number> {
  const fastest = new Map<string, number>();
  for (let round = 0; round < LOADS; round += 1) {
    for (const [name, file] of files) {
      fastest.set(name, Math.min(fastest.get(name) ?? Infinity, loadTime(file)));
    }
  }
  return fastest;
}

const loadTime = (file: string) =>
  Number(execFileSync(process.execPath, ['--no-deprecation', '-e', PROGRAM, file], { encoding: 'utf8' }));
