import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');

/** What `bundle.ts` and `worker-bundle.ts` write; a packed construct brings it along. */
export const DIST = join(ROOT, 'dist');

/** Folder of the stream worker, below `workers/` and below `dist/`. */
export const WORKER = 'broadcaster';

/** First line of a bundled ES module: modules of CommonJS inside the bundle call `require`. */
export const REQUIRE = "import{createRequire as __r}from'node:module';const require=__r(import.meta.url);";

/** The program that a container begins with. */
export const BOOT = join(DIST, 'boot.js');

/** Returns the folder with the bundle of a function: the Lambda asset. */
export const bundleFolder = (name: string) => join(DIST, name);

/** Returns the program that a container begins with, as `bundleWorker` made it. */
export const bootProgram = (): string => readFileSync(BOOT, 'utf8').trim();
