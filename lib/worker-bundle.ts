import { buildSync, type BuildOptions } from 'esbuild';
import { join } from 'node:path';
import { bundleFolder, ROOT, WORKER, writeChanged } from './bundle.ts';

const SOURCES = join(ROOT, 'workers', WORKER);
/** Modules of CommonJS inside the bundle call it. */
const REQUIRE = "import{createRequire as __r}from'node:module';const require=__r(import.meta.url);";

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
 * its loader finds the package of the machine in a folder above.
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
}

/** Returns the program that a container begins with. Without template literals, which CloudFormation takes for its own. */
export function bootProgram(): string {
  const { outputFiles } = buildSync({
    ...OPTIONS,
    entryPoints: [join(SOURCES, 'boot.ts')],
    supported: { 'template-literal': false },
  });
  return outputFiles.map(({ text }) => text.trim()).join('');
}
