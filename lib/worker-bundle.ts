import { buildSync, type BuildOptions } from 'esbuild';
import { join } from 'node:path';
import { writeChanged } from './bundle.ts';
import { BOOT, bundleFolder, REQUIRE, ROOT, WORKER } from './dist.ts';

const SOURCES = join(ROOT, 'workers', WORKER);

const OPTIONS = {
  absWorkingDir: ROOT,
  write: false,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;

/**
 * Bundles the stream worker and its decoder, two programs, into `dist/broadcaster/`. The native library is not part of it:
 * its loader finds the package of the machine in a folder above. Also bundles what fetches them in a container.
 */
export function bundleWorker(): void {
  const { outputFiles } = buildSync({
    ...OPTIONS,
    entryPoints: ['main', 'decoder/main'].map(name => ({ in: join(SOURCES, `${name}.ts`), out: name })),
    outdir: bundleFolder(WORKER),
    banner: { js: REQUIRE },
  });
  for (const { path, contents } of outputFiles) writeChanged(path, contents);
  writeChanged(join(bundleFolder(WORKER), 'package.json'), Buffer.from('{"type":"module"}\n'));
  bundleBoot();
}

/** Without template literals, whose variables CloudFormation would take for its own. */
function bundleBoot(): void {
  const { outputFiles } = buildSync({
    ...OPTIONS,
    entryPoints: [join(SOURCES, 'boot.ts')],
    supported: { 'template-literal': false },
  });
  for (const { contents } of outputFiles) writeChanged(BOOT, contents);
}
