import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './dist.ts';

/** Sources of the template and its bundles. */
const INPUTS = [
  '{bin,lib,functions,shared,workers}/**/*.{ts,js,mjs,json}',
  'functions/docs/page/*',
  'package-lock.json',
  'cdk.json',
];
/** Tests, fake platform servers, and packages of the layer. */
const EXCLUDED = /\.test\.ts$|[\\/]sandbox(?:[\\/]|[^\\/]*\.ts$)|[\\/]node_modules[\\/]|^bin[\\/]local\.ts$/;

/** Returns a hash of everything from which the template and its bundles are made. It changes when one of them may. */
export function hashOfInputs(): string {
  const hash = createHash('sha256').update(process.version);
  const files = INPUTS.flatMap(pattern => globSync(pattern, { cwd: ROOT })).filter(
    file => !EXCLUDED.test(file),
  );
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 24);
}
