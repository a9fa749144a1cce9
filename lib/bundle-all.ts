import { existsSync, readFileSync, rmSync } from 'node:fs';
import { bundleFunctions, writeChanged } from './bundle.ts';
import { STAMP } from './dist.ts';
import { hashOfInputs } from './inputs.ts';
import { bundleWorker } from './worker-bundle.ts';

/** Bundles the functions and the stream worker, unless nothing has changed since: it takes ten seconds and more. */
export function bundleAll(): void {
  const inputs = hashOfInputs();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === inputs) return;
  // A run that is interrupted leaves no stamp.
  rmSync(STAMP, { force: true });
  bundleFunctions();
  bundleWorker();
  writeChanged(STAMP, Buffer.from(inputs));
}
