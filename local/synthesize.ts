import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const CACHE = join(ROOT, 'node_modules', '.cache', 'local-stack');
/** All that the template and its bundles are made from. */
const INPUTS = ['{bin,lib,functions,shared}/**/*.{ts,mjs,json}', 'package-lock.json', 'cdk.json'];
const NO_INPUT = /\.test\.ts$|[\\/]sandbox[^\\/]*\.ts$|[\\/]node_modules[\\/]|^bin[\\/]local\.ts$/;
/** Older results may still be in use by a stack that runs. */
const KEEP_MS = 24 * 3600 * 1000;

/**
 * Folder of the synthesized stack, the one that `cdk deploy` would send. Made anew only when a source changed, which
 * `onBuild` is told before. Throws with the app's own words when it does not synthesize.
 */
export async function synthesize(
  onBuild: () => void = () => undefined,
): Promise<{ folder: string; cached: boolean }> {
  const folder = join(CACHE, hashOfInputs());
  if (existsSync(folder)) return { folder, cached: true };
  onBuild();
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(CACHE, { recursive: true });
  try {
    await runApp(unfinished);
    moveInto(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  removeOld(folder);
  return { folder, cached: false };
}

function hashOfInputs(): string {
  const hash = createHash('sha256').update(process.version);
  const files = INPUTS.flatMap(pattern => globSync(pattern, { cwd: ROOT })).filter(
    file => !NO_INPUT.test(file),
  );
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 24);
}

async function runApp(outdir: string): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, 'bin', 'app.ts')], {
    cwd: ROOT,
    // The rules are checked by `npm run synth` and the tests; a start need not wait for them.
    env: { ...process.env, CDK_OUTDIR: outdir, SKIP_NAG: '1', CDK_VALIDATION: 'false' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => (words += chunk.toString()));
  const code = await new Promise(resolve => child.once('close', resolve));
  process.off('exit', killWithUs);
  if (code !== 0) throw new Error(`The stack does not synthesize:\n${words}`);
}

/** Another process may have made the same folder meanwhile; it holds the same. */
function moveInto(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}

function removeOld(current: string): void {
  for (const name of globSync('*', { cwd: CACHE })) {
    const folder = join(CACHE, name);
    if (folder !== current && Date.now() - statSync(folder).mtimeMs > KEEP_MS) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
