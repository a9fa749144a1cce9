import { buildSync } from 'esbuild';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = join(import.meta.dirname, 'publish-alone.ts');
/** Below the packages that the bundle leaves out. */
const FOLDER = join(import.meta.dirname, '../../../node_modules/.cache/large-files');

/** The program of the publisher's process, in one file as in Lambda: Node.js would need memory to strip its types. */
export function bundleProgram(): { path: string; remove: () => void } {
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, `${process.pid}.mjs`);
  buildSync({
    entryPoints: [SOURCE],
    outfile: path,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    external: ['sharp'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return { path, remove: () => rmSync(path, { force: true }) };
}
