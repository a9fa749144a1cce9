import { buildSync, type Metafile } from 'esbuild';
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
const LOADS = 7;

/**
 * Prints the milliseconds of CPU time that loading a file takes in a new process, with what the file begins to load by
 * itself. Other work of the machine changes it less than the duration.
 */
const PROGRAM = `const cpu = process.cpuUsage();
await import(process.argv[1]);
setImmediate(() => {
  const { user, system } = process.cpuUsage(cpu);
  console.log((user + system) / 1000);
  process.exit();
});`;
const ENVIRONMENT = { ...process.env, [ENV.platform]: 'x', AWS_REGION: 'eu-west-1' };

/** The folder of a bundle, and how many of its bytes are loaded at the start. */
interface Bundle {
  folder: string;
  atStart: number;
}

/** What a function loads at a cold start. */
export const bundles: Bench = {
  name: 'bundles',
  summary: 'what each function loads at a cold start, beside a bare handler with lib-dynamodb',
  run: () => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-bundles-'));
    try {
      const bare = { folder, atStart: bytesAtStart(bundleBareHandler(folder)) };
      const functions = [...bundleFunctions()].map(([name, metafile]): [string, Bundle] => [
        name,
        { folder: bundleFolder(name), atStart: bytesAtStart(metafile) },
      ]);
      return Promise.resolve(resultsOf(new Map([[BARE, bare], ...functions])));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** With the SDK as it comes. */
function bundleBareHandler(folder: string): Metafile {
  const { metafile } = buildSync({
    ...BUNDLE_OPTIONS,
    entryPoints: [{ in: BARE_SOURCE, out: 'index' }],
    outdir: folder,
    metafile: true,
  });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return metafile;
}

function resultsOf(bundlesByName: ReadonlyMap<string, Bundle>): Results[] {
  const loads = leastLoads(bundlesByName);
  const bare = loads.get(BARE) ?? Number.NaN;
  return [...bundlesByName].map(([name, { folder, atStart }]): Results => {
    const load = loads.get(name) ?? Number.NaN;
    const values: Record<string, Measure> = {
      minified: less(sizeOf(folder) / 1000, 'kB'),
      'loaded at the start': less(atStart / 1000, 'kB'),
      [`load, least of ${LOADS} processes`]: less(load, 'ms of CPU'),
      'load beside the bare handler': less(load / bare, 'times', 2),
    };
    return { title: name, values };
  });
}

const bytesAtStart = (metafile: Metafile) => totalOf(loadedAtStart(metafile));

const sizeOf = (folder: string) =>
  globSync('*.js', { cwd: folder }).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);

/** Returns the least CPU time of loading each bundle. */
function leastLoads(bundlesByName: ReadonlyMap<string, Bundle>): Map<string, number> {
  const least = new Map<string, number>();
  for (let round = 0; round < LOADS; round += 1) {
    for (const [name, { folder }] of bundlesByName) {
      least.set(name, Math.min(least.get(name) ?? Infinity, loadTime(join(folder, 'index.js'))));
    }
  }
  return least;
}

const loadTime = (file: string) =>
  Number(
    execFileSync(process.execPath, ['--no-deprecation', '--input-type=module', '-e', PROGRAM, file], {
      encoding: 'utf8',
      env: ENVIRONMENT,
    }),
  );
