import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hashOfInputs } from '../lib/inputs.ts';
import { moveInto } from './move-into.ts';

const ROOT = join(import.meta.dirname, '..');
const CACHE = join(ROOT, 'node_modules', '.cache', 'local-stack');
/** A running stack may still use an older result. */
const MAX_AGE_MS = 24 * 3600 * 1000;

/**
 * Returns the folder of the synthesized stack, the same that `cdk deploy` uses. Synthesizes only if a source has changed and
 * calls `onBuild` first. Throws with the output of the CDK app if it fails.
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

async function runApp(outdir: string): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, 'bin', 'app.ts')], {
    cwd: ROOT,
    // `npm run synth` and the tests check the cdk-nag rules; skipping them here saves time.
    env: { ...process.env, CDK_OUTDIR: outdir, SKIP_NAG: '1', CDK_VALIDATION: 'false' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const killChild = () => child.kill('SIGKILL');
  process.once('exit', killChild);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise(resolve => child.once('close', resolve));
  process.off('exit', killChild);
  if (code !== 0) throw new Error(`The stack could not be synthesized:\n${stderr}`);
}

function removeOld(current: string): void {
  for (const name of globSync('*', { cwd: CACHE })) {
    const folder = join(CACHE, name);
    if (folder !== current && Date.now() - statSync(folder).mtimeMs > MAX_AGE_MS) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
